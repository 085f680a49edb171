"""The rules that spell tt.dot_scaled out, where conversion and scale are one instruction or not.

%d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16

→  %0 = … %s, as bf16, broadcast to %a's shape and layout …
   %1 = amdg.scaled_upcast_fp8 %a scale %0 : bf16
   %2 = arith.select (%s is NaN), NaN, %1
   %d = tt.dot %2, %b, %c

An operand of 16 bits stays as it is, one without scale is only converted. The instruction of
gfx1250 takes the scale's byte itself, that of gfx950 a bf16. What makes a scale is marked, so that
`mfma` can choose tiles whose scales are loaded in wide vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import amdg, attributes, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked
from weft.passes.amd.accelerate_matmul.scales import mark_source
from weft.passes.ledger import enabled, source_position
from weft.passes.rewrite.decompose_scaled import (
    Argument,
    Scaled,
    broadcast,
    decompose,
    in_16_bits,
    masked,
    scaled_argument,
    to_16,
    upright,
)
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["plain_rule", "rule"]

_SIXTEEN = (ScaleDotElemType.BF16, ScaleDotElemType.FP16)


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one chip."""

    def argument(one: Scaled) -> SSAValue:
        return _argument(one, asked)

    return _told(asked, argument)


def plain_rule(asked: Asked) -> Pattern:
    """Return the pattern for a chip that has no conversions with scale."""
    return _told(asked, scaled_argument)


def _told(asked: Asked, argument: Argument) -> Pattern:
    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        if not enabled():
            return decompose(op, rewriter, argument)
        what = f"{op.name} at {source_position(op.results[0]) or 'an unknown place'}"
        before, after = op.prev_op, op.next_op
        if not decompose(op, rewriter, argument):
            return False
        report.spelled_out(asked, _between(before, after), what)
        return True

    return pattern


def _between(before: Operation | None, after: Operation | None) -> Iterator[Operation]:
    """Yield what was made in front of an operation, back to what stood there."""
    current = None if after is None else after.prev_op
    while current is not None and current is not before:
        yield current
        current = current.prev_op


def _argument(one: Scaled, asked: Asked) -> SSAValue:
    if one.form in _SIXTEEN:
        return one.value
    if one.scale is None:
        return in_16_bits(one)
    shape = list(types.shape(one.value.type))
    small = one.form is ScaleDotElemType.E2M1
    if small:
        shape[one.k_dim] *= 2
    wide = types.tensor(tuple(shape), one.compute, types.encoding(one.value.type))
    mark_source(one.scale)
    scale = upright(one)
    number = scale if asked.units.byte_scales else to_16(one, scale, types.bf16)
    spread = one.laid_out(broadcast(one, number, one.k_dim), types.encoding(wide))
    if small:
        axis = attributes.integer(one.k_dim, types.i32)
        scaled = one.join(amdg.ScaledUpcastFp4Op, (one.value, spread), wide, axis=axis)
    else:
        scaled = one.join(amdg.ScaledUpcastFp8Op, (one.value, spread), wide)
    return masked(one, scaled, scale)
