"""Operations of tt on global memory: pointers, loads, stores, atomics and block pointers."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.constraints import array_prop, bool_prop, enum_prop, opt_enum_prop
from weft.ir.enums import (
    CacheModifier,
    EvictionPolicy,
    MemSemantic,
    MemSyncScope,
    PaddingOption,
    RMWOp,
)
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation, pointee, same, same_shape
from weft.ir.types import PointerType


def _base_pointer(known: ParsedTypes) -> Attribute:
    """Infer the pointer to the first element of a block pointer's tensor."""
    block = known["result"]
    if not (types.is_pointer(block) and types.is_tensor(block.pointee)):
        raise TypeError(f"'result' must be a pointer to a tensor, but got '{block}'")
    return types.pointer(block.pointee.element_type, block.address_space.data)


@operation
class AddPtrOp(Op):
    """Advance a pointer, or a tensor of pointers, by offsets in elements.

    `%q = tt.addptr %p, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>`
    """

    name = "tt.addptr"
    ptr = operand_def()
    offset = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"
    INFER: ClassVar[Infer] = {"ptr": same("result")}

    def verify_(self) -> None:
        if self.ptr.type != self.result.type:
            raise VerifyException("failed to verify that result type matches ptr type")
        if types.shape(self.offset.type) != types.shape(self.ptr.type):
            raise VerifyException("requires the same shape for all operands and results")


@operation
class AdvanceOp(Op):
    """Advance a block pointer by one i32 offset per dimension.

    `%q = tt.advance %p, [%i, %j] : !tt.ptr<tensor<64x32xf16>>`
    """

    name = "tt.advance"
    ptr = operand_def()
    offsets = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$ptr `,` `[` $offsets `]` attr-dict `:` bare-type($result)"
    BARE_TYPES: ClassVar = {"result": PointerType}
    INFER: ClassVar[Infer] = {"ptr": same("result"), "offsets": fixed(types.i32)}


@operation
class LoadOp(Op, MemoryEffectOpInterface):
    """Load from pointers; lanes whose mask is false return `other`, or an undefined value.

    The mask and `other` have the shape of the pointers. With `isVolatile` the load may not be
    removed or moved.

    `%v = tt.load %p, %m, %o cacheModifier = cg : tensor<64x!tt.ptr<f32>>`
    """

    name = "tt.load"
    ptr = operand_def()
    optionals = var_operand_def()
    result = result_def()
    boundaryCheck = array_prop(())
    padding = opt_enum_prop(PaddingOption)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    isVolatile = bool_prop(False)
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask", "other")
    FORMAT: ClassVar[str] = (
        "$ptr (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache | "
        "`evictionPolicy` `=` $evict) attr-dict `:` type($ptr)"
    )
    INFER: ClassVar[Infer] = {
        "result": pointee("ptr"),
        "mask": same_shape("ptr", types.i1),
        "other": same("result"),
    }

    def memory_effects(self) -> Effect:
        return Effect.READ | Effect.WRITE if number(self.isVolatile) else Effect.READ

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(1)

    @property
    def other(self) -> SSAValue | None:
        return self.operand_or_none(2)


@operation
class StoreOp(Op):
    """Store to pointers; lanes whose mask is false store nothing.

    `tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>`
    """

    name = "tt.store"
    ptr = operand_def()
    value = operand_def()
    optionals = var_operand_def()
    boundaryCheck = array_prop(())
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    traits = traits_def(MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    FORMAT: ClassVar[str] = (
        "$ptr `,` $value (`,` $mask^)? oilist(`cacheModifier` `=` $cache | "
        "`evictionPolicy` `=` $evict) attr-dict `:` type($ptr)"
    )
    INFER: ClassVar[Infer] = {"value": pointee("ptr"), "mask": same_shape("ptr", types.i1)}

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(2)


@operation
class AtomicRMWOp(Op):
    """Atomic read-modify-write; returns the old value.

    `%o = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (…, …, …) -> tensor<64xf32>`
    """

    name = "tt.atomic_rmw"
    atomic_rmw_op = enum_prop(RMWOp)
    ptr = operand_def()
    val = operand_def()
    optionals = var_operand_def()
    result = result_def()
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    FORMAT: ClassVar[str] = (
        "$atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(2)


@operation
class AtomicCASOp(Op):
    """Atomic compare-and-swap: store `val` if memory holds `cmp`; returns the old value.

    `%o = tt.atomic_cas acq_rel, gpu, %p, %c, %v : (…, …, …) -> i32`
    """

    name = "tt.atomic_cas"
    ptr = operand_def()
    cmp = operand_def()
    val = operand_def()
    result = result_def()
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` "
        "functional-type(operands, results)"
    )


@operation
class MakeTensorPtrOp(Op):
    """Create a block pointer: a pointer to a tile of a strided tensor in memory.

    It takes i64 shape and strides of the tensor and i32 offsets of the tile, one per dimension.

    `%p = tt.make_tensor_ptr %base, [%m, %n], [%sm, %sn], [%i, %j]
    {order = array<i32: 1, 0>} : !tt.ptr<tensor<64x32xf16>>`
    """

    name = "tt.make_tensor_ptr"
    base = operand_def()
    shape = var_operand_def()
    strides = var_operand_def()
    offsets = var_operand_def()
    order = array_prop()
    result = result_def()
    traits = traits_def(Pure())
    irdl_options = (SameVariadicOperandSize(),)
    FORMAT: ClassVar[str] = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` "
        "$offsets `]` attr-dict `:` bare-type($result)"
    )
    BARE_TYPES: ClassVar = {"result": PointerType}
    INFER: ClassVar[Infer] = {
        "base": _base_pointer,
        "shape": fixed(types.i64),
        "strides": fixed(types.i64),
        "offsets": fixed(types.i32),
    }


OPERATIONS = (
    AddPtrOp,
    AdvanceOp,
    LoadOp,
    StoreOp,
    AtomicRMWOp,
    AtomicCASOp,
    MakeTensorPtrOp,
)

__all__ = [
    "AddPtrOp",
    "AdvanceOp",
    "AtomicCASOp",
    "AtomicRMWOp",
    "LoadOp",
    "MakeTensorPtrOp",
    "OPERATIONS",
    "StoreOp",
]
