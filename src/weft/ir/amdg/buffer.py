"""Accesses of amdg to global memory by buffer instructions.

A scalar base pointer and a tensor of 32-bit offsets (in elements) replace a tensor of 64-bit
pointers. Masked lanes use an offset out of bounds, so that the hardware reads 0 without a branch.

    %v = amdg.buffer_load %p[%o], %m, %other cacheModifier = cg stride = %s : tensor<…>
    amdg.buffer_store %v, %p[%o], %m : tensor<…>

`stride` is the distance of neighbouring rows in elements, by which the hardware swizzles caches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import enum_prop, i32_prop
from weft.ir.enums import CacheModifier, MemSemantic, MemSyncScope, RMWOp
from weft.ir.op_traits import TypesMatchWith
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation, same, same_shape
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType, async_token
from weft.ir.type_constraints import BOOL_TENSOR, I32, INDEX_TENSOR, POINTER, TENSOR
from weft.ir.types import PointerType

__all__ = [
    "OPERATIONS",
    "BufferAtomicCASOp",
    "BufferAtomicRMWOp",
    "BufferLoadOp",
    "BufferLoadToLocalOp",
    "BufferStoreOp",
]


def _base(name: str) -> Callable[[ParsedTypes], Attribute]:
    """Infer the pointer to an element of `name`'s tensor."""

    def infer(known: ParsedTypes) -> Attribute:
        return types.pointer(types.element(known[name]))

    return infer


def _base_pointer(data: Attribute) -> Attribute:
    return types.pointer(types.element(data))


def _buffer_pointer(memory: Attribute) -> Attribute:
    assert isinstance(memory, MemDescType)
    return types.pointer(memory.element_type)


def _offsets(data: Attribute) -> Attribute:
    return types.with_element(data, types.i32)


def _mask(data: Attribute) -> Attribute:
    return types.with_element(data, types.i1)


def _access_types(data: str) -> tuple[TypesMatchWith, TypesMatchWith]:
    """Build the traits: a pointer to the elements of the data, and an offset per element.

    Args:
        data: The name of the operand or result with the data.
    """
    return (
        TypesMatchWith(
            f"{data} element type matches the pointed type of ptr", data, "ptr", _base_pointer
        ),
        TypesMatchWith(f"{data} and offsets have the same shape", data, "offsets", _offsets),
    )


def _mask_type(data: str) -> TypesMatchWith:
    """Build the trait: a mask of the shape and layout of the data."""
    return TypesMatchWith(f"{data} and mask have the same shape", data, "mask", _mask)


@operation
class BufferLoadOp(Op):
    """Load elements at offsets from a base pointer.

    `%v = amdg.buffer_load %p[%o], %m, %other {contiguity = 8 : i32} : tensor<64x32xf16, #blocked>`
    """

    name = "amdg.buffer_load"
    ptr = operand_def(POINTER)
    offsets = operand_def(INDEX_TENSOR)
    stride = opt_operand_def(I32)
    mask = opt_operand_def(BOOL_TENSOR)
    other = opt_operand_def(TENSOR)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    result = result_def(TENSOR)
    traits = traits_def(
        MemoryReadEffect(),
        *_access_types("result"),
        _mask_type("result"),
        TypesMatchWith("result and other have the same type", "result", "other"),
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) "
        "(`stride` `=` $stride^)? attr-dict `:` type($result)"
    )
    INFER: ClassVar[Infer] = {
        "ptr": _base("result"),
        "offsets": same_shape("result", types.i32),
        "stride": fixed(types.i32),
        "mask": same_shape("result", types.i1),
        "other": same("result"),
    }


@operation
class BufferStoreOp(Op):
    """Store elements at offsets from a base pointer.

    `amdg.buffer_store %v, %p[%o], %m : tensor<64x32xf16, #blocked>`
    """

    name = "amdg.buffer_store"
    value = operand_def(TENSOR)
    ptr = operand_def(POINTER)
    offsets = operand_def(INDEX_TENSOR)
    stride = opt_operand_def(I32)
    mask = opt_operand_def(BOOL_TENSOR)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    traits = traits_def(MemoryWriteEffect(), *_access_types("value"), _mask_type("value"))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) "
        "(`stride` `=` $stride^)? attr-dict `:` type($value)"
    )
    INFER: ClassVar[Infer] = {
        "ptr": _base("value"),
        "offsets": same_shape("value", types.i32),
        "stride": fixed(types.i32),
        "mask": same_shape("value", types.i1),
    }


@operation
class BufferLoadToLocalOp(Op):
    """Issue an asynchronous copy of elements at offsets from a base pointer into a buffer.

    `%t = amdg.buffer_load_to_local %p[%o] mask = %m other = %x stride = %s into %b :
    <f16>[tensor<64x32xi32, #blocked>] tensor<64x32xf16, #blocked> -> <64x32xf16, …, mutable>`
    """

    name = "amdg.buffer_load_to_local"
    dest = operand_def(MEMDESC)
    ptr = operand_def(POINTER)
    offsets = operand_def(INDEX_TENSOR)
    mask = opt_operand_def(BOOL_TENSOR)
    other = opt_operand_def(TENSOR)
    stride = opt_operand_def(I32)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    token = result_def(ASYNC_TOKEN)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith(
            "dest element type matches pointee type of ptr", "dest", "ptr", _buffer_pointer
        ),
        TypesMatchWith("infer mask shape from offsets", "offsets", "mask", _mask),
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? "
        "(`stride` `=` $stride^)? oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict `:` "
        "bare-type($ptr) `[` type($offsets) `]` type($other) `->` bare-type($dest)"
    )
    BARE_TYPES: ClassVar = {"ptr": PointerType, "dest": MemDescType}
    INFER: ClassVar[Infer] = {
        "mask": same_shape("offsets", types.i1),
        "stride": fixed(types.i32),
        "token": fixed(async_token),
    }

    def verify_(self) -> None:
        pointer = self.ptr.type
        assert types.is_pointer(pointer)
        if self.other is not None and self.other.type != types.with_element(
            self.offsets.type, pointer.pointee
        ):
            raise VerifyException(
                "failed to verify that other matches shape and layout of offsets and the element "
                "type matches the pointee type of ptr"
            )


@operation
class BufferAtomicRMWOp(Op):
    """Atomic read-modify-write at offsets from a base pointer; returns the old values.

    `%o = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %v, %p[%o], %m : tensor<64xf32, #blocked>`
    """

    name = "amdg.buffer_atomic_rmw"
    atomic_rmw_op = enum_prop(RMWOp)
    ptr = operand_def(POINTER)
    offsets = operand_def(INDEX_TENSOR)
    value = operand_def(TENSOR)
    stride = opt_operand_def(I32)
    mask = opt_operand_def(BOOL_TENSOR)
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    result = result_def(TENSOR)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("result element type matches the value type", "result", "value"),
        *_access_types("result"),
        _mask_type("result"),
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? "
        "(`stride` `=` $stride^)? attr-dict `:` type($result)"
    )
    INFER: ClassVar[Infer] = {
        "ptr": _base("result"),
        "offsets": same_shape("result", types.i32),
        "value": same("result"),
        "stride": fixed(types.i32),
        "mask": same_shape("result", types.i1),
    }


@operation
class BufferAtomicCASOp(Op):
    """Atomic compare-and-swap at offsets from a base pointer; returns the old values.

    `%o = amdg.buffer_atomic_cas acq_rel, gpu, %cmp, %val, %p[%o] : tensor<64xi32, #blocked>`
    """

    name = "amdg.buffer_atomic_cas"
    ptr = operand_def(POINTER)
    offsets = operand_def(INDEX_TENSOR)
    cmp = operand_def(TENSOR)
    val = operand_def(TENSOR)
    optionals = var_operand_def(I32)
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    result = result_def(TENSOR)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("result element type matches the val type", "result", "val"),
        TypesMatchWith("result element type matches the cmp type", "result", "cmp"),
        *_access_types("result"),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("stride",)
    FORMAT: ClassVar[str] = (
        "$sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)? "
        "attr-dict `:` type($result)"
    )
    INFER: ClassVar[Infer] = {
        "ptr": _base("result"),
        "offsets": same_shape("result", types.i32),
        "cmp": same("result"),
        "val": same("result"),
        "stride": fixed(types.i32),
    }

    @property
    def stride(self) -> SSAValue | None:
        return self.operand_or_none(4)


OPERATIONS = (
    BufferLoadOp,
    BufferStoreOp,
    BufferLoadToLocalOp,
    BufferAtomicRMWOp,
    BufferAtomicCASOp,
)
