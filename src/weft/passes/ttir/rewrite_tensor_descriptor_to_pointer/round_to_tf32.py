"""Round f32 to tf32 with integer arithmetic, as TMA does.

sign 1 | exponent 8 | mantissa 23     →     the lower 13 bits of the mantissa are 0

(x + 0xFFF + bit 13 of x) & ~0x1FFF   to nearest, ties to even; infinities and NaN stay
"""

from __future__ import annotations

from weft.ir import arith, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.operation import Op
from weft.ir.rewriting import Builder

__all__ = ["round_to_tf32"]


def round_to_tf32(builder: Builder, value: SSAValue) -> SSAValue:
    """Round f32 to tf32: to nearest in the upper 10 bits of the mantissa, ties to even."""
    bits_type = types.with_element(value.type, types.i32)

    def bitwise(cls: type[Op], a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.value(cls, [a, b], bits_type)

    bits = builder.value(tt.BitcastOp, [value], bits_type)
    exponent_mask = builder.constant(0x7F800000, bits_type)
    exponent = bitwise(arith.AndIOp, bits, exponent_mask)
    condition = types.with_element(bits_type, types.i1)
    predicate = {"predicate": CmpIPredicate.EQ.attr()}
    is_special = builder.value(arith.CmpIOp, [exponent, exponent_mask], condition, predicate)
    shifted = bitwise(arith.ShRUIOp, bits, builder.constant(13, bits_type))
    is_odd = bitwise(arith.AndIOp, shifted, builder.constant(1, bits_type))
    increment = bitwise(arith.AddIOp, is_odd, builder.constant(0xFFF, bits_type))
    incremented = bitwise(arith.AddIOp, bits, increment)
    rounded = bitwise(arith.AndIOp, incremented, builder.constant(-0x2000, bits_type))
    result = builder.value(arith.SelectOp, [is_special, bits, rounded], bits_type)
    return builder.value(tt.BitcastOp, [result], value.type)
