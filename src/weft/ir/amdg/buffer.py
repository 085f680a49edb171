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
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation, same, same_shape
from weft.ir.ttg.memory import check_mutable, memdesc_type
from weft.ir.ttg.types import MemDescType, async_token
from weft.ir.type_rules import operand_name, require_type
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


def _check_offsets(op: Op, ptr: SSAValue, offsets: SSAValue, data: Attribute) -> None:
    """Require a pointer to the elements of the data, and one 32-bit offset per element.

    Raises:
        VerifyException: They do not match.
    """
    pointer = ptr.type
    if not types.is_pointer(pointer) or pointer.pointee != types.element(data):
        raise VerifyException(
            "failed to verify that result element type matches the pointed type of ptr"
        )
    description = "tensor of 32-bit signless integer values"
    is_i32 = types.element(offsets.type) == types.i32
    require_type(is_i32, operand_name(op, offsets), description, offsets.type)
    if types.shape(offsets.type) != types.shape(data):
        raise VerifyException("failed to verify that value and offsets have the same shape")


@operation
class BufferLoadOp(Op):
    """Load elements at offsets from a base pointer.

    `%v = amdg.buffer_load %p[%o], %m, %other {contiguity = 8 : i32} : tensor<64x32xf16, #blocked>`
    """

    name = "amdg.buffer_load"
    ptr = operand_def()
    offsets = operand_def()
    stride = opt_operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    result = result_def()
    traits = traits_def(MemoryReadEffect())
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

    def verify_(self) -> None:
        _check_offsets(self, self.ptr, self.offsets, self.result.type)


@operation
class BufferStoreOp(Op):
    """Store elements at offsets from a base pointer.

    `amdg.buffer_store %v, %p[%o], %m : tensor<64x32xf16, #blocked>`
    """

    name = "amdg.buffer_store"
    value = operand_def()
    ptr = operand_def()
    offsets = operand_def()
    stride = opt_operand_def()
    mask = opt_operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    traits = traits_def(MemoryWriteEffect())
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

    def verify_(self) -> None:
        _check_offsets(self, self.ptr, self.offsets, self.value.type)


@operation
class BufferLoadToLocalOp(Op):
    """Issue an asynchronous copy of elements at offsets from a base pointer into a buffer.

    `%t = amdg.buffer_load_to_local %p[%o] mask = %m other = %x stride = %s into %b :
    <f16>[tensor<64x32xi32, #blocked>] tensor<64x32xf16, #blocked> -> <64x32xf16, …, mutable>`
    """

    name = "amdg.buffer_load_to_local"
    dest = operand_def()
    ptr = operand_def()
    offsets = operand_def()
    mask = opt_operand_def()
    other = opt_operand_def()
    stride = opt_operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    contiguity = i32_prop(1)
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
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
        memory = memdesc_type(self, self.dest)
        check_mutable(memory)
        shape = types.shape(self.offsets.type)
        _check_offsets(self, self.ptr, self.offsets, types.tensor(shape, memory.element_type))


@operation
class BufferAtomicRMWOp(Op):
    """Atomic read-modify-write at offsets from a base pointer; returns the old values.

    `%o = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %v, %p[%o], %m : tensor<64xf32, #blocked>`
    """

    name = "amdg.buffer_atomic_rmw"
    atomic_rmw_op = enum_prop(RMWOp)
    ptr = operand_def()
    offsets = operand_def()
    value = operand_def()
    stride = opt_operand_def()
    mask = opt_operand_def()
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
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

    def verify_(self) -> None:
        _check_offsets(self, self.ptr, self.offsets, self.result.type)


@operation
class BufferAtomicCASOp(Op):
    """Atomic compare-and-swap at offsets from a base pointer; returns the old values.

    `%o = amdg.buffer_atomic_cas acq_rel, gpu, %cmp, %val, %p[%o] : tensor<64xi32, #blocked>`
    """

    name = "amdg.buffer_atomic_cas"
    ptr = operand_def()
    offsets = operand_def()
    cmp = operand_def()
    val = operand_def()
    optionals = var_operand_def()
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
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

    def verify_(self) -> None:
        _check_offsets(self, self.ptr, self.offsets, self.result.type)


OPERATIONS = (
    BufferLoadOp,
    BufferStoreOp,
    BufferLoadToLocalOp,
    BufferAtomicRMWOp,
    BufferAtomicCASOp,
)
