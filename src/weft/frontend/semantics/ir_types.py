"""Conversion of the language's types to IR types.

int32, uint32                       →  i32: IR types have no signedness
block_type(pointer_type(fp16), [8]) →  tensor<8x!tt.ptr<f16>>
fp8e4b15                            →  i8: MLIR has no such float
a descriptor of uint32[8]           →  !tt.tensordesc<tensor<8xui32>>: TMA reductions need the sign
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from weft.errors import TypeMismatchError
from weft.ir import types
from weft.language.compound_types import block_type, pointer_type
from weft.language.dtypes import dtype

_SCALARS: dict[str, Attribute] = {
    "int1": types.i1,
    "int8": types.i8,
    "int16": types.i16,
    "int32": types.i32,
    "int64": types.i64,
    "uint8": types.i8,
    "uint16": types.i16,
    "uint32": types.i32,
    "uint64": types.i64,
    "fp8e4b15": types.i8,
    "fp8e4nv": types.f8E4M3FN,
    "fp8e4b8": types.f8E4M3FNUZ,
    "fp8e5": types.f8E5M2,
    "fp8e5b16": types.f8E5M2FNUZ,
    "fp16": types.f16,
    "bf16": types.bf16,
    "fp32": types.f32,
    "fp64": types.f64,
}


@cache
def ir_type(of: dtype) -> Attribute:
    """Return the IR type of a type of the language.

    Raises:
        TypeMismatchError: No SSA value has the type: void, or the type of a tuple.
    """
    if isinstance(of, block_type):
        return types.tensor(of.shape, ir_type(of.element_ty), of.encoding)
    if isinstance(of, pointer_type):
        return types.pointer(ir_type(of.element_ty), of.address_space)
    if of.name not in _SCALARS:
        raise TypeMismatchError(
            f"fail to convert {of} to ir type", found=of, accepted=sorted(_SCALARS)
        )
    return _SCALARS[of.name]


@cache
def descriptor_type(block: block_type) -> Attribute:
    """Return the IR type of a descriptor, whose integer types have signedness."""
    return types.descriptor(types.tensor(block.shape, descriptor_element_type(block)))


def descriptor_element_type(block: block_type) -> Attribute:
    """Return the IR type of an element of a descriptor's blocks."""
    element = block.scalar
    if element.is_int() and not element.is_bool():
        signedness = Signedness.SIGNED if element.is_int_signed() else Signedness.UNSIGNED
        return IntegerType(element.primitive_bitwidth, signedness)
    return ir_type(element)
