"""Multiplications in bf16 that are exact, as those by the scales of microscaling formats are.

    %a = ttg.fp4_to_fp %x                        0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6
    %s = tt.bitcast (arith.shli %exponent, 7)    0, a power of two from 2^-126 on, or infinity
    %y = arith.mulf %a, %s                       a multiple of 2^-127 with two significant bits

Every such product is a bf16 (infinity if it is too large) or NaN. A chip that multiplies in f32 may
therefore drop the lower half of the result instead of rounding it.
"""

from __future__ import annotations

from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import constant_value

__all__ = ["is_exact_multiplication"]

_BF16_MANTISSA_BITS = 7
_REARRANGING = (
    tt.BroadcastOp,
    tt.ExpandDimsOp,
    tt.ReshapeOp,
    tt.SplatOp,
    tt.TransOp,
    ttg.ConvertLayoutOp,
)


def is_exact_multiplication(op: Operation) -> bool:
    """Check whether an `arith.mulf` of bf16 has an exact result."""
    if types.element(op.results[0].type) != types.bf16:
        return False
    sources = [_element_source(operand) for operand in op.operands]
    return any(_is_fp4(a) and _is_power_of_two(b) for a, b in (sources, sources[::-1]))


def _element_source(value: SSAValue) -> Operation | None:
    """Find the operation that computes the elements of a tensor; None for an argument."""
    while isinstance(value, OpResult) and isinstance(value.op, _REARRANGING):
        value = value.op.operands[0]
    return value.op if isinstance(value, OpResult) else None


def _is_fp4(op: Operation | None) -> bool:
    return isinstance(op, ttg.Fp4ToFpOp)


def _is_power_of_two(op: Operation | None) -> bool:
    """Check for the bits of a bf16 without mantissa: an integer shifted to the exponent."""
    if not isinstance(op, tt.BitcastOp):
        return False
    shift = _element_source(op.operands[0])
    if not isinstance(shift, arith.ShLIOp):
        return False
    distance = constant_value(shift.operands[1])
    return isinstance(distance, int) and distance >= _BF16_MANTISSA_BITS
