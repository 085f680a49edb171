"""Constants of the IR as LLVM literals, one per register.

arith.constant dense<1.5> : tensor<128xf32, #blocked>    →    0x3FF8000000000000, twice
"""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.types import float_literal
from weft.errors import CodegenError
from weft.ir import types
from weft.ir.attributes import SplatAttr

__all__ = ["constant_registers", "literal", "quote"]


def literal(value: Attribute, type_: Attribute) -> str:
    """Format a scalar constant as LLVM IR."""
    if isinstance(value, IntegerAttr):
        number = value.value.data
        if types.element(type_) == types.i1:
            return "true" if number else "false"
        return str(number)
    if isinstance(value, FloatAttr):
        return float_literal(value.value.data, type_)
    raise CodegenError(f"a constant of this kind cannot be lowered: {value}", found=value)


def constant_registers(op: Operation, count: int) -> list[str]:
    """List the registers of a constant.

    Raises:
        CodegenError: A tensor constant is not a splat; Triton creates none.
    """
    value = op.properties["value"]
    if isinstance(value, SplatAttr):
        return [literal(value.value, op.results[0].type)] * count
    if not types.is_tensor(op.results[0].type):
        return [literal(value, op.results[0].type)]
    raise CodegenError(
        "a tensor constant must have one value for all elements", found=value, accepted=["dense<x>"]
    )


def quote(text: str) -> str:
    """Quote a string as LLVM IR: special characters as two hexadecimal digits."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
    return f'"{"".join(plain)}"'
