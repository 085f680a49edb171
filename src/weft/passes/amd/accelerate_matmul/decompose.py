"""The rules that decompose tt.dot_scaled into scaled conversions and tt.dot.

%d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16

→  %0 = … %s, as bf16, broadcast to %a's shape and layout …
   %1 = amdg.scaled_upcast_fp8 %a scale %0 : bf16
   %2 = arith.select (%s is NaN), NaN, %1
   %d = tt.dot %2, %b, %c

A 16-bit operand is not converted; an operand without scale is converted without scaling. The
instruction of gfx1250 takes the scale's byte, that of gfx950 a bf16. The operation that defines a
scale is marked, so that the rule `mfma` can choose tiles whose scales are loaded in wide vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.ir import amdg, attributes, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.context import Context
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


def rule(context: Context) -> Pattern:
    """Create the pattern for a chip with scaled conversions."""

    def argument(one: Scaled) -> SSAValue:
        return _argument(one, context)

    return _recording(context, argument)


def plain_rule(context: Context) -> Pattern:
    """Create the pattern for a chip without scaled conversions."""
    return _recording(context, scaled_argument)


def _recording(context: Context, argument: Argument) -> Pattern:
    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        if not enabled():
            return decompose(op, rewriter, argument)
        what = f"{op.name} at {source_position(op.results[0]) or 'an unknown location'}"
        before, after = op.prev_op, op.next_op
        if not decompose(op, rewriter, argument):
            return False
        report.record_decomposition(context, _between(before, after), what)
        return True

    return pattern


def _between(before: Operation | None, after: Operation | None) -> Iterator[Operation]:
    """Yield the operations between two operations, last first; None means the end of the block."""
    current = None if after is None else after.prev_op
    while current is not None and current is not before:
        yield current
        current = current.prev_op


def _argument(one: Scaled, context: Context) -> SSAValue:
    if one.form in _SIXTEEN:
        return one.value
    if one.scale is None:
        return in_16_bits(one)
    shape = list(types.shape(one.value.type))
    is_packed = one.form is ScaleDotElemType.E2M1
    if is_packed:
        shape[one.k_dim] *= 2
    wide = types.tensor(tuple(shape), one.compute, types.encoding(one.value.type))
    mark_source(one.scale)
    scale = upright(one)
    number = scale if context.units.byte_scales else to_16(one, scale, types.bf16)
    broadcast_scale = one.laid_out(broadcast(one, number, one.k_dim), types.encoding(wide))
    if is_packed:
        axis = attributes.integer(one.k_dim, types.i32)
        scaled = one.join(amdg.ScaledUpcastFp4Op, (one.value, broadcast_scale), wide, axis=axis)
    else:
        scaled = one.join(amdg.ScaledUpcastFp8Op, (one.value, broadcast_scale), wide)
    return masked(one, scaled, scale)
