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
from weft.ir.op_traits import (
    Elementwise,
    SameLoadStoreOperandsAndResultEncoding,
    SameLoadStoreOperandsAndResultShape,
    SameLoadStoreOperandsShape,
    SameOperandsAndResultEncoding,
    SameOperandsAndResultShape,
    SameOperandsEncoding,
    TypesMatchWith,
    pointee_type,
    pointer_same_shape,
    same_shape_i1,
)
from weft.ir.operation import Infer, Op, ParsedTypes, fixed, operation, pointee, same, same_shape
from weft.ir.type_constraints import (
    ANY_TYPE,
    BOOL_LIKE,
    I32,
    I64,
    INT_LIKE,
    POINTER,
    POINTER_LIKE,
    POINTERS,
    TENSOR_POINTER,
)
from weft.ir.types import PointerType


def _base_pointer(known: ParsedTypes) -> Attribute:
    """Infer the pointer to the first element of a block pointer's tensor."""
    block = known["result"]
    pointer = _element_pointer(block)
    if pointer is None:
        raise TypeError(f"'result' must be a pointer to a tensor, but got '{block}'")
    return pointer


def _element_pointer(block: Attribute) -> Attribute | None:
    """Compute the type of the base of a block pointer, None for other types."""
    if not (types.is_pointer(block) and types.is_tensor(block.pointee)):
        return None
    return types.pointer(block.pointee.element_type, block.address_space.data)


@operation
class AddPtrOp(Op):
    """Advance a pointer, or a tensor of pointers, by offsets in elements.

    `%q = tt.addptr %p, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>`
    """

    name = "tt.addptr"
    ptr = operand_def(POINTER_LIKE)
    offset = operand_def(INT_LIKE)
    result = result_def(POINTER_LIKE)
    traits = traits_def(
        Pure(),
        TypesMatchWith("result type matches ptr type", "result", "ptr"),
        Elementwise(),
        SameOperandsAndResultShape(),
        SameOperandsAndResultEncoding(),
    )
    FORMAT: ClassVar[str] = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"
    INFER: ClassVar[Infer] = {"ptr": same("result")}


@operation
class AdvanceOp(Op):
    """Advance a block pointer by one i32 offset per dimension.

    `%q = tt.advance %p, [%i, %j] : !tt.ptr<tensor<64x32xf16>>`
    """

    name = "tt.advance"
    ptr = operand_def(TENSOR_POINTER)
    offsets = var_operand_def(I32)
    result = result_def(TENSOR_POINTER)
    traits = traits_def(Pure(), TypesMatchWith("result type matches ptr type", "result", "ptr"))
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
    ptr = operand_def(POINTERS)
    optionals = var_operand_def()
    result = result_def(ANY_TYPE)
    boundaryCheck = array_prop(())
    padding = opt_enum_prop(PaddingOption)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    isVolatile = bool_prop(False)
    traits = traits_def(
        MemoryReadEffect(),
        TypesMatchWith("result matches ptr type", "ptr", "result", pointee_type),
        TypesMatchWith("mask type matches ptr type", "ptr", "mask", same_shape_i1),
        TypesMatchWith("other matches ptr type", "ptr", "other", pointee_type),
        SameLoadStoreOperandsAndResultShape(),
        SameLoadStoreOperandsAndResultEncoding(),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask", "other")
    OPTIONAL_TYPES: ClassVar = {"mask": BOOL_LIKE, "other": ANY_TYPE}
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
    ptr = operand_def(POINTERS)
    value = operand_def(ANY_TYPE)
    optionals = var_operand_def()
    boundaryCheck = array_prop(())
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    traits = traits_def(
        MemoryWriteEffect(),
        TypesMatchWith("value type matches ptr type", "ptr", "value", pointee_type),
        TypesMatchWith("mask type matches ptr type", "ptr", "mask", same_shape_i1),
        SameLoadStoreOperandsShape(),
        SameOperandsEncoding(),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    OPTIONAL_TYPES: ClassVar = {"mask": BOOL_LIKE}
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
    ptr = operand_def(POINTER_LIKE)
    val = operand_def(ANY_TYPE)
    optionals = var_operand_def()
    result = result_def(ANY_TYPE)
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("ptr type matches value type", "val", "ptr", pointer_same_shape),
        TypesMatchWith("mask type matches value type", "val", "mask", same_shape_i1),
        SameOperandsAndResultShape(),
        SameOperandsAndResultEncoding(),
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    OPTIONAL_TYPES: ClassVar = {"mask": BOOL_LIKE}
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
    ptr = operand_def(POINTER_LIKE)
    cmp = operand_def(ANY_TYPE)
    val = operand_def(ANY_TYPE)
    result = result_def(ANY_TYPE)
    sem = enum_prop(MemSemantic)
    scope = enum_prop(MemSyncScope)
    traits = traits_def(
        MemoryReadEffect(),
        MemoryWriteEffect(),
        TypesMatchWith("ptr type matches cmp type", "cmp", "ptr", pointer_same_shape),
        TypesMatchWith("ptr type matches value type", "val", "ptr", pointer_same_shape),
        SameOperandsAndResultShape(),
        SameOperandsAndResultEncoding(),
    )
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
    base = operand_def(POINTER)
    shape = var_operand_def(I64)
    strides = var_operand_def(I64)
    offsets = var_operand_def(I32)
    order = array_prop()
    result = result_def(TENSOR_POINTER)
    traits = traits_def(
        Pure(),
        TypesMatchWith(
            "infer pointer type from the result type", "result", "base", _element_pointer
        ),
    )
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
