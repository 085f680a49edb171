"""The IR's type of a language type: signedness and const are not in the IR.

For example:

    int32, uint32                       →  i32
    block_type(pointer_type(fp16), [8]) →  tensor<8x!tt.ptr<f16>>
    fp8e4b15                            →  i8, for MLIR has no such float
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Attribute

from weft.errors import TypeMismatchError
from weft.ir import types
from weft.language import dtypes
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
    """Return the IR type of a language type.

    Raises: TypeMismatchError for a type that no value has (void, a tuple's).
    """
    if isinstance(of, block_type):
        return types.tensor(of.shape, ir_type(of.element_ty))
    if isinstance(of, pointer_type):
        return types.pointer(ir_type(of.element_ty), of.address_space)
    if of.name not in _SCALARS:
        raise TypeMismatchError("no value has this type", found=of, accepted=sorted(_SCALARS))
    return _SCALARS[of.name]


def from_ir(type_: Attribute) -> dtype:
    """Return the language type of an IR type, integers as signed ones."""
    if types.is_tensor(type_):
        return block_type(from_ir(types.element(type_)), types.shape(type_))
    if types.is_pointer(type_):
        return pointer_type(from_ir(type_.pointee))
    for name, scalar in _SCALARS.items():
        if scalar == type_:
            return dtypes.dtype(name)
    raise TypeMismatchError("the language has no such type", found=type_)
