"""Operations of ttg on buffers in shared memory, and on scratch memory of a program."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import i32_prop, opt_i32_prop
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.types import MemDescType, async_token


def memdesc_of(op: Op, value: SSAValue) -> MemDescType:
    """Return the type of a value that must be a memory descriptor.

    Raises: VerifyException: it is not.
    """
    type_ = value.type
    if not isinstance(type_, MemDescType):
        raise VerifyException(f"{op.name}: a memory descriptor expected, found {type_}")
    return type_


def check_same_data(op: Op, memory: MemDescType, tensor: Attribute) -> None:
    """Require a tensor of the buffer's shape and element type.

    Raises: VerifyException: it is not.
    """
    if (memory.shape, memory.element_type) != (types.shape(tensor), types.element(tensor)):
        raise VerifyException(f"{op.name}: {tensor} and {memory} differ in shape or element type")


def check_mutable(op: Op, memory: MemDescType) -> None:
    """Require a buffer that may be written.

    Raises: VerifyException: it is immutable.
    """
    if not memory.is_mutable:
        raise VerifyException(f"{op.name}: cannot write to the immutable {memory}")


def allocation_effects(op: Op, source: SSAValue | None, *, placed: bool) -> Effect:
    """Compute the effects of an allocation whose first result is the buffer.

    An immutable buffer is a value, so that equal ones may be merged, until it has an address.

    Args:
        op: The allocation.
        source: The initial value, None without one.
        placed: Whether the buffer has an address.
    """
    memory = op.results[0].type
    if isinstance(memory, MemDescType) and not memory.is_mutable and not placed:
        return Effect.NONE
    return Effect.ALLOC if source is None else Effect.ALLOC | Effect.WRITE


@operation
class LocalAllocOp(Op, MemoryEffectOpInterface):
    """Reserve a buffer in shared memory, filled from a tensor where one is given.

    Without a tensor the buffer must be mutable: nothing else could ever fill it.

    `%b = ttg.local_alloc : () -> !ttg.memdesc<2x64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_alloc"
    optionals = var_operand_def()
    alignment = opt_i32_prop()
    result = result_def()
    traits = traits_def(MemoryAllocEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("src",)
    FORMAT: ClassVar[str] = "($src^)? attr-dict `:` functional-type(operands, results)"

    @property
    def src(self) -> SSAValue | None:
        return self.operand_or_none(0)

    def memory_effects(self) -> Effect:
        return allocation_effects(self, self.src, placed="allocation.offset" in self.attributes)

    def verify_(self) -> None:
        memory = memdesc_of(self, self.result)
        if self.src is not None:
            check_same_data(self, memory, self.src.type)
        elif not memory.is_mutable:
            raise VerifyException(f"{self.name}: {memory} is immutable and has no initial value")
        if memory.allocated[-len(memory.shape) :] != memory.shape:
            raise VerifyException(
                f"{self.name}: {memory} has shape {memory.shape} but allocates {memory.allocated}"
            )


@operation
class LocalDeallocOp(Op):
    """End the life of a buffer.

    `ttg.local_dealloc %b : !ttg.memdesc<2x64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_dealloc"
    src = operand_def()
    traits = traits_def(MemoryFreeEffect())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"

    def verify_(self) -> None:
        memdesc_of(self, self.src)


@operation
class LocalLoadOp(Op):
    """Read a buffer into a tensor; a token names the asynchronous copies that filled it.

    `%t = ttg.local_load %b token %w : !ttg.memdesc<64xf16, #shared, #smem, mutable> ->
    tensor<64xf16, #blocked>`
    """

    name = "ttg.local_load"
    src = operand_def()
    optionals = var_operand_def()
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    FORMAT: ClassVar[str] = "$src (`token` $token^)? attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        check_same_data(self, memdesc_of(self, self.src), self.result.type)


@operation
class LocalStoreOp(Op):
    """Write a tensor into a buffer.

    `ttg.local_store %t, %b : tensor<64xf16, #blocked> ->
    !ttg.memdesc<64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_store"
    src = operand_def()
    dst = operand_def()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$src `,` $dst attr-dict `:` type($src) `->` type($dst)"

    def verify_(self) -> None:
        memory = memdesc_of(self, self.dst)
        check_mutable(self, memory)
        check_same_data(self, memory, self.src.type)


def _check_axis(op: Op, axis: int, memory: MemDescType, indices: Attribute) -> None:
    rank = len(memory.shape)
    if not 0 <= axis < rank:
        raise VerifyException(f"{op.name}: axis {axis} is outside of {memory}")
    if len(types.shape(indices)) != rank or not types.is_integer(types.element(indices)):
        raise VerifyException(f"{op.name}: integer indices of rank {rank} expected, not {indices}")


@operation
class LocalGatherOp(Op):
    """Read elements of a buffer by index along an axis.

    `%t = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<…>, tensor<8xi32, #blocked> ->
    tensor<8xf16, #blocked>`
    """

    name = "ttg.local_gather"
    src = operand_def()
    indices = operand_def()
    optionals = var_operand_def()
    axis = i32_prop()
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    FORMAT: ClassVar[str] = (
        "$src `[` $indices `]` (`token` $token^)? attr-dict `:` type($src) `,` type($indices) "
        "`->` type($result)"
    )
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(2)

    def verify_(self) -> None:
        memory = memdesc_of(self, self.src)
        _check_axis(self, self.axis.value.data, memory, self.indices.type)
        if types.shape(self.indices.type) != types.shape(self.result.type):
            raise VerifyException(
                f"{self.name}: indices {self.indices.type} do not give {self.result.type}"
            )


@operation
class LocalScatterOp(Op):
    """Write elements of a buffer by index along an axis.

    `ttg.local_scatter %b[%i], %t {axis = 0 : i32} : !ttg.memdesc<…>, tensor<8xi32, #blocked>,
    tensor<8xf16, #blocked>`
    """

    name = "ttg.local_scatter"
    dst = operand_def()
    values = operand_def()
    indices = operand_def()
    optionals = var_operand_def()
    axis = i32_prop()
    traits = traits_def(MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    FORMAT: ClassVar[str] = (
        "$dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict `:` type($dst) `,` "
        "type($indices) `,` type($values)"
    )
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(3)

    def verify_(self) -> None:
        memory = memdesc_of(self, self.dst)
        check_mutable(self, memory)
        _check_axis(self, self.axis.value.data, memory, self.indices.type)
        if types.shape(self.indices.type) != types.shape(self.values.type):
            raise VerifyException(
                f"{self.name}: indices {self.indices.type} do not fit {self.values.type}"
            )


@operation
class GlobalScratchAllocOp(Op):
    """Reserve global memory that belongs to this program.

    `%p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>`
    """

    name = "ttg.global_scratch_alloc"
    nbytes = i32_prop()
    alignment = i32_prop()
    result = result_def()
    traits = traits_def(MemoryAllocEffect())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"

    def verify_(self) -> None:
        alignment = self.alignment.value.data
        if alignment <= 0 or alignment & (alignment - 1):
            raise VerifyException(f"{self.name}: alignment {alignment} is no power of two")


OPERATIONS = (
    LocalAllocOp,
    LocalDeallocOp,
    LocalLoadOp,
    LocalStoreOp,
    LocalGatherOp,
    LocalScatterOp,
    GlobalScratchAllocOp,
)

__all__ = [
    "OPERATIONS",
    "GlobalScratchAllocOp",
    "LocalAllocOp",
    "LocalDeallocOp",
    "LocalGatherOp",
    "LocalLoadOp",
    "LocalScatterOp",
    "LocalStoreOp",
    "check_mutable",
    "check_same_data",
    "memdesc_of",
]
