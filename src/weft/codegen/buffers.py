"""How many bytes a buffer of shared memory takes, and where it may start."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from weft.codegen.llvm_types import storage_bytes
from weft.errors import CodegenError
from weft.ir.ttg import MemDescType
from weft.layouts import NvmmaSharedEncoding, PaddedSharedEncoding

__all__ = ["buffer_alignment", "buffer_bytes", "step_bytes"]

_ALIGNMENT = 16
_SWIZZLED_ALIGNMENT = 1024  # eight rows of 128 bytes: what wgmma and TMA count their swizzle from


def _type(value: SSAValue) -> MemDescType:
    if not isinstance(value.type, MemDescType):
        raise CodegenError("not a buffer of shared memory", found=value.type)
    return value.type


def buffer_bytes(value: SSAValue) -> int:
    """Return the bytes of an allocation's result, padding included."""
    type_ = _type(value)
    encoding = type_.encoding
    if isinstance(encoding, PaddedSharedEncoding):
        copies = prod(type_.shape) >> len(encoding.offset)
        return copies * encoding.allocated * storage_bytes(type_.element_type)
    return _stored(type_, type_.allocated)


def step_bytes(type_: MemDescType) -> int:
    """Return the bytes from one of several buffers of a type to the next."""
    if isinstance(type_.encoding, PaddedSharedEncoding):
        return type_.encoding.allocated * storage_bytes(type_.element_type)
    return _stored(type_, type_.shape)


def _stored(type_: MemDescType, shape: Sequence[int]) -> int:
    """Return the bytes of so many elements; pairs of 4 bits may be spread over twice as many."""
    encoding = type_.encoding
    spread = isinstance(encoding, NvmmaSharedEncoding) and encoding.fp4_padded
    return prod(shape) * storage_bytes(type_.element_type) * (2 if spread else 1)


def buffer_alignment(value: SSAValue) -> int:
    """Return what a buffer's start must be a multiple of."""
    swizzled = isinstance(_type(value).encoding, NvmmaSharedEncoding)
    return _SWIZZLED_ALIGNMENT if swizzled else _ALIGNMENT
