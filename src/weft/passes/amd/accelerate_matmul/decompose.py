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
    ScaledOperand,
    ScaleOperand,
    broadcast_scale,
    convert_scale,
    convert_value,
    decompose,
    mask_nan,
    scale_operand,
    transpose_scale,
)
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["plain_rule", "rule"]

_16_BIT_KINDS = (ScaleDotElemType.BF16, ScaleDotElemType.FP16)


def rule(context: Context) -> Pattern:
    """Create the pattern for a chip with scaled conversions."""

    def upcast(operand: ScaledOperand) -> SSAValue:
        return _scaled_upcast(operand, context)

    return _recording(context, upcast)


def plain_rule(context: Context) -> Pattern:
    """Create the pattern for a chip without scaled conversions."""
    return _recording(context, scale_operand)


def _recording(context: Context, scale: ScaleOperand) -> Pattern:
    """Create a pattern that decomposes, and records the layouts of the new operations."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        if not enabled():
            return decompose(op, rewriter, scale)
        what = f"{op.name} at {source_position(op.results[0]) or 'an unknown location'}"
        before, after = op.prev_op, op.next_op
        if not decompose(op, rewriter, scale):
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


def _scaled_upcast(operand: ScaledOperand, context: Context) -> SSAValue:
    """Convert and scale an operand with one instruction."""
    if operand.element_kind in _16_BIT_KINDS:
        return operand.value
    if operand.scale is None:
        return convert_value(operand)
    shape = list(types.shape(operand.value.type))
    is_packed = operand.element_kind is ScaleDotElemType.E2M1
    if is_packed:
        shape[operand.k_dim] *= 2
    encoding = types.encoding(operand.value.type)
    wide = types.tensor(tuple(shape), operand.compute_type, encoding)
    mark_source(operand.scale)
    scale = transpose_scale(operand)
    factors = scale if context.units.byte_scales else convert_scale(operand, scale, types.bf16)
    factors = broadcast_scale(operand, factors, operand.k_dim)
    factors = operand.convert_layout(factors, types.encoding(wide))
    operands = (operand.value, factors)
    if is_packed:
        cls: type[Operation] = amdg.ScaledUpcastFp4Op
        properties = {"axis": attributes.integer(operand.k_dim, types.i32)}
    else:
        cls, properties = amdg.ScaledUpcastFp8Op, {}
    upcast = operand.rewriter.create(cls, operands, (wide,), properties, before=operand.op)
    result = upcast.results[0]
    return mask_nan(operand, result, scale)
