"""Operations of ttg on buffers in shared memory, and on global scratch memory."""

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
from weft.ir.ttg.types import MEMDESC, MemDescType, async_token
from weft.ir.type_rules import operand_name, require_type


def memdesc_type(op: Op, value: SSAValue) -> MemDescType:
    """Get the type of an operand or result that must be a memory descriptor.

    Raises:
        VerifyException: It is of another type.
    """
    type_ = value.type
    if not isinstance(type_, MemDescType):
        name = operand_name(op, value)
        raise VerifyException(f"{name} must be {MEMDESC.description}, but got '{type_}'")
    return type_


def check_same_data(source: Attribute, destination: Attribute) -> None:
    """Require one element type and shape of a tensor and a buffer.

    Args:
        source: The tensor that is written, or the buffer that is read.
        destination: The buffer, or the tensor.

    Raises:
        VerifyException: They differ.
    """
    (from_shape, from_element), (to_shape, to_element) = map(_data, (source, destination))
    if from_element != to_element:
        raise VerifyException(
            f"source element type '{source}' must match destination element type '{to_element}'"
        )
    if from_shape != to_shape:
        raise VerifyException(
            f"source shape [{_sizes(from_shape)}] must match [destination shape {_sizes(to_shape)}]"
        )


def _sizes(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def _data(type_: Attribute) -> tuple[tuple[int, ...], Attribute]:
    if isinstance(type_, MemDescType):
        return type_.shape, type_.element_type
    return types.shape(type_), types.element(type_)


def check_mutable(memory: MemDescType) -> None:
    """Require a buffer that can be written.

    Raises:
        VerifyException: It is immutable.
    """
    if not memory.is_mutable:
        raise VerifyException("cannot store into immutable memory")


def check_allocation(memory: MemDescType, source: SSAValue | None) -> None:
    """Require a whole buffer, and an initial value of its type or that it can be written later.

    Raises:
        VerifyException: The buffer is a view, is immutable, or differs from the initial value.
    """
    if memory.allocated != memory.shape:
        raise VerifyException("result shape and its alloc shape must match")
    if source is not None:
        check_same_data(source.type, memory)
    elif not memory.is_mutable:
        raise VerifyException("uninitialized alloc must have a mutable memdesc type")


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
    """Allocate a buffer in shared memory, with the elements of a tensor if there is one.

    Without a tensor the buffer must be mutable.

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
        memory = memdesc_type(self, self.result)
        check_allocation(memory, self.src)


@operation
class LocalDeallocOp(Op):
    """Deallocate a buffer.

    `ttg.local_dealloc %b : !ttg.memdesc<2x64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_dealloc"
    src = operand_def()
    traits = traits_def(MemoryFreeEffect())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class LocalLoadOp(Op):
    """Load a buffer into a tensor.

    A token orders the load after the asynchronous copies that fill the buffer.

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
        check_same_data(memdesc_type(self, self.src), self.result.type)


@operation
class LocalStoreOp(Op):
    """Store a tensor into a buffer.

    `ttg.local_store %t, %b : tensor<64xf16, #blocked> ->
    !ttg.memdesc<64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_store"
    src = operand_def()
    dst = operand_def()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$src `,` $dst attr-dict `:` type($src) `->` type($dst)"

    def verify_(self) -> None:
        memory = memdesc_type(self, self.dst)
        check_mutable(memory)
        check_same_data(self.src.type, memory)


def _check_indices(op: Op, axis: int, memory: MemDescType, value: SSAValue) -> None:
    rank = len(memory.shape)
    if not 0 <= axis < rank:
        raise VerifyException(f"axis {axis} is out of bounds for source rank {rank}")
    indices = value.type
    is_integer = types.is_integer(types.element(indices))
    require_type(is_integer, operand_name(op, value), "ranked tensor of integer values", indices)
    if len(types.shape(indices)) != rank:
        raise VerifyException("indices must have the same rank as the source")


@operation
class LocalGatherOp(Op):
    """Gather elements of a buffer along an axis by index.

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
        memory = memdesc_type(self, self.src)
        _check_indices(self, self.axis.value.data, memory, self.indices)
        if types.shape(self.indices.type) != types.shape(self.result.type):
            raise VerifyException("result shape must match indices shape")


@operation
class LocalScatterOp(Op):
    """Scatter elements into a buffer along an axis by index.

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
        memory = memdesc_type(self, self.dst)
        check_mutable(memory)
        _check_indices(self, self.axis.value.data, memory, self.indices)
        if types.shape(self.indices.type) != types.shape(self.values.type):
            raise VerifyException("values shape must match indices shape")


@operation
class GlobalScratchAllocOp(Op):
    """Allocate scratch memory in global memory for this program.

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
            raise VerifyException(f"alignment must be a power of two, but got {alignment}")


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
    "allocation_effects",
    "check_allocation",
    "check_mutable",
    "check_same_data",
    "memdesc_type",
]
