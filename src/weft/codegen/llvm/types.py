"""LLVM types of the IR's types, and floating-point constants.

f32 → float     !tt.ptr<f16> → ptr addrspace(1)     f8E4M3FN → i8 (its bits)     1.5 : f16 → 0xH3E00
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from xdsl.ir import Attribute

from weft.errors import CodegenError
from weft.ir import types
from weft.ir.types import storage_bytes

__all__ = [
    "arithmetic_type",
    "count_descriptor_arguments",
    "float_literal",
    "literal_of_bits",
    "llvm_type",
    "parameter_type",
    "storage_bytes",
    "intrinsic_suffix",
]

_GLOBAL = "ptr addrspace(1)"
_FLOATS: dict[Attribute, str] = {
    types.f16: "half",
    types.bf16: "bfloat",
    types.f32: "float",
    types.f64: "double",
}
# The number types of ml_dtypes.
_SMALL_FLOATS: dict[Attribute, str] = {
    types.bf16: "bfloat16",
    types.f8E4M3FN: "float8_e4m3fn",
    types.f8E5M2: "float8_e5m2",
    types.f8E4M3FNUZ: "float8_e4m3fnuz",
    types.f8E5M2FNUZ: "float8_e5m2fnuz",
    types.f8E4M3B11FNUZ: "float8_e4m3b11fnuz",
}
_SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
INDEX_BITS = 32


def llvm_type(type_: Attribute) -> str:
    """Get the LLVM type of an element.

    Raises:
        CodegenError: The type has no LLVM type.
    """
    scalar = types.element(type_)
    if types.is_integer(scalar):
        return f"i{scalar.width.data}"
    if (name := _FLOATS.get(scalar)) is not None:
        return name
    if types.is_pointer(scalar):
        space = scalar.address_space.data
        return f"ptr addrspace({space})" if space else "ptr"
    if isinstance(type_, types.TensorDescType):
        return "ptr"
    if scalar == types.index:
        return f"i{INDEX_BITS}"
    if types.is_float(scalar):
        return f"i{types.bit_width(scalar)}"
    raise CodegenError(f"{scalar} has no type in LLVM IR", found=scalar)


def arithmetic_type(type_: Attribute) -> str:
    """Get the LLVM type of floats that LLVM computes with.

    Raises:
        CodegenError: The floats have 8 bits or fewer, for which LLVM has no instruction.
    """
    if (name := _FLOATS.get(types.element(type_))) is not None:
        return name
    raise CodegenError(
        "no chip computes with floats of this type",
        found=types.element(type_),
        accepted=[str(each) for each in _FLOATS],
        hint="convert the operands first, as in x.to(tl.float16)",
    )


def parameter_type(type_: Attribute, by_pointer: bool) -> str:
    """Get the LLVM type of a kernel parameter.

    Args:
        type_: Type in the IR.
        by_pointer: Whether a tensor descriptor is passed as the tensor's address, not as 128 bytes.
    """
    if isinstance(type_, types.TensorDescType):
        return _GLOBAL if by_pointer else 'ptr byval([128 x i8]) align 64 "nvvm.grid_constant"'
    return llvm_type(type_)


def count_descriptor_arguments(kinds: Sequence[Attribute], n: int) -> int:
    """Count the kernel arguments that belong to one parameter.

    Args:
        kinds: Types of all parameters.
        n: Index of the parameter.

    Raises:
        CodegenError: Sizes and strides do not follow a descriptor.
    """
    kind = kinds[n]
    if not isinstance(kind, types.TensorDescType):
        return 1
    rank = len(types.shape(kind.block_type))
    expected = [types.i32] * rank + [types.i64] * rank
    if list(kinds[n + 1 : n + 1 + 2 * rank]) != expected:
        raise CodegenError(
            "sizes and strides of its tensor must follow a descriptor",
            found=[str(each) for each in kinds[n + 1 : n + 1 + 2 * rank]],
            accepted=[str(each) for each in expected],
        )
    return 1 + 2 * rank


def intrinsic_suffix(type_: str) -> str:
    """Mangle an LLVM type as in an intrinsic's name: float is f32."""
    return _SUFFIX.get(type_, type_)


def float_literal(number: float, type_: Attribute) -> str:
    """Format a floating-point constant, rounded to its type."""
    scalar = types.element(type_)
    return literal_of_bits(int.from_bytes(_encode(number, scalar), "little"), scalar)


def _encode(number: float, scalar: Attribute) -> bytes:
    """Round a number to a type and return its bytes, the lowest first."""
    code = {types.f64: "<d", types.f32: "<f", types.f16: "<e"}.get(scalar)
    if code is None:
        import ml_dtypes
        import numpy as np  # 50 ms, which most kernels have no need of

        with np.errstate(over="ignore"):
            return np.asarray(number, getattr(ml_dtypes, _SMALL_FLOATS[scalar])).tobytes()
    try:
        return struct.pack(code, number)
    except OverflowError:  # larger than the type's largest number, after rounding
        return struct.pack(code, math.copysign(math.inf, number))


def literal_of_bits(bits: int, type_: Attribute) -> str:
    """Format a constant given by its bit pattern."""
    scalar = types.element(type_)
    if scalar == types.f16:
        return f"0xH{bits:04X}"
    if scalar == types.bf16:
        return f"0xR{bits:04X}"
    if scalar == types.f32:
        (number,) = struct.unpack("<f", struct.pack("<I", bits))  # LLVM prints it as a double
        return f"0x{int.from_bytes(struct.pack('<d', number), 'little'):016X}"
    if scalar == types.f64:
        return f"0x{bits:016X}"
    return str(bits)
