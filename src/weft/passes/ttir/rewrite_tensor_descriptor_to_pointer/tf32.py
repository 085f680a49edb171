"""Round f32 to tf32 with integer arithmetic, as the hardware that copies by descriptor does.

sign 1 | exponent 8 | mantissa 23     →     the lower 13 bits of the mantissa are 0

(x + 0xFFF + bit 13 of x) & ~0x1FFF   to nearest, ties to even; infinities and NaN stay
"""

from __future__ import annotations

from typing import Any

from weft.ir import arith, tt, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder

__all__ = ["rounded"]


def rounded(builder: Builder, value: SSAValue) -> SSAValue:
    """Return f32 rounded to tf32: to nearest in the upper 10 bits of the mantissa, ties to even."""
    bits = types.with_element(value.type, types.i32)

    def make(
        cls: Any, *operands: SSAValue, result: Attribute = bits, **properties: Any
    ) -> SSAValue:
        return builder.value(cls, list(operands), result, properties)

    raw = make(tt.BitcastOp, value)
    exponent = builder.constant(0x7F800000, bits)
    masked = make(arith.AndIOp, raw, exponent)
    equal = CmpIPredicate.EQ.attr()
    truth = types.with_element(bits, types.i1)
    special = make(arith.CmpIOp, masked, exponent, result=truth, predicate=equal)
    low = make(arith.ShRUIOp, raw, builder.constant(13, bits))
    odd = make(arith.AndIOp, low, builder.constant(1, bits))
    half = make(arith.AddIOp, odd, builder.constant(0xFFF, bits))
    raised = make(arith.AddIOp, raw, half)
    cut = make(arith.AndIOp, raised, builder.constant(-0x2000, bits))
    chosen = make(arith.SelectOp, special, raw, cut)
    return make(tt.BitcastOp, chosen, result=value.type)
