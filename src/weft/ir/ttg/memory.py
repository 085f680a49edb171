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
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType, SharedMemoryAttr, async_token
from weft.ir.type_constraints import INT_TENSOR, POINTER, TENSOR


def memdesc_type(op: Op, value: SSAValue) -> MemDescType:
    """Get the type of an operand or result that must be a memory descriptor.

    Raises:
        VerifyException: It is of another type.
    """
    type_ = value.type
    if not isinstance(type_, MemDescType):
        operands = list(op.operands)
        name = f"operand #{operands.index(value)}" if value in operands else "result #0"
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
        raise VerifyException("Cannot store into immutable memory")


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


def _check_rank(name: str, tensor: Attribute, memory: MemDescType) -> None:
    """Require a tensor of the rank of a buffer's encoding."""
    encoding = memory.encoding
    if encoding is None or encoding.family == "unresolved":
        return
    rank = len(types.shape(tensor))
    if rank != encoding.rank:
        raise VerifyException(
            f"{name} has rank {rank} but memdesc encoding has rank {encoding.rank}"
        )


@operation
class LocalAllocOp(Op, MemoryEffectOpInterface):
    """Allocate a buffer in shared memory, with the elements of a tensor if there is one.

    Without a tensor the buffer must be mutable.

    `%b = ttg.local_alloc : () -> !ttg.memdesc<2x64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_alloc"
    optionals = var_operand_def()
    alignment = opt_i32_prop()
    result = result_def(MEMDESC)
    traits = traits_def(MemoryAllocEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("src",)
    OPTIONAL_TYPES: ClassVar = {"src": TENSOR}
    FORMAT: ClassVar[str] = "($src^)? attr-dict `:` functional-type(operands, results)"

    @property
    def src(self) -> SSAValue | None:
        return self.operand_or_none(0)

    def memory_effects(self) -> Effect:
        return allocation_effects(self, self.src, placed="allocation.offset" in self.attributes)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.result)
        if not isinstance(memory.memory_space, SharedMemoryAttr):
            raise VerifyException("should create a buffer of shared memory")
        if self.src is not None:
            _check_rank("source", self.src.type, memory)
        check_allocation(memory, self.src)


@operation
class LocalDeallocOp(Op):
    """Deallocate a buffer.

    `ttg.local_dealloc %b : !ttg.memdesc<2x64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_dealloc"
    src = operand_def(MEMDESC)
    traits = traits_def(MemoryFreeEffect())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"


@operation
class LocalLoadOp(Op):
    """Load a buffer into a tensor.

    A token orders the load after the asynchronous copies that fill the buffer.

    `%t = ttg.local_load %b token %w : !ttg.memdesc<64xf16, #shared, #smem, mutable> ->
    tensor<64xf16, #blocked>`
    """

    name = "ttg.local_load"
    src = operand_def(MEMDESC)
    optionals = var_operand_def()
    result = result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    OPTIONAL_TYPES: ClassVar = {"token": ASYNC_TOKEN}
    FORMAT: ClassVar[str] = "$src (`token` $token^)? attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.src)
        _check_rank("result", self.result.type, memory)
        check_same_data(memory, self.result.type)


@operation
class LocalStoreOp(Op):
    """Store a tensor into a buffer.

    `ttg.local_store %t, %b : tensor<64xf16, #blocked> ->
    !ttg.memdesc<64xf16, #shared, #smem, mutable>`
    """

    name = "ttg.local_store"
    src = operand_def(TENSOR)
    dst = operand_def(MEMDESC)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$src `,` $dst attr-dict `:` type($src) `->` type($dst)"

    def verify_(self) -> None:
        memory = memdesc_type(self, self.dst)
        check_mutable(memory)
        _check_rank("source", self.src.type, memory)
        check_same_data(self.src.type, memory)


def _check_indices(
    name: str, values: str, axis: int, memory: MemDescType, tensors: tuple[Attribute, Attribute]
) -> None:
    """Require indices into a buffer along an axis, and a tensor of as many elements.

    Args:
        name: What the buffer is: "source" or "destination".
        values: What the tensor is: "result" or "values".
        axis: The axis.
        memory: The buffer.
        tensors: The types of the indices and of the tensor.
    """
    indices, tensor = tensors
    if memory.encoding is None or memory.encoding.family not in ("shared", "unresolved"):
        raise VerifyException(f"{name} must have shared memory encoding")
    if types.shape(tensor) != types.shape(indices):
        raise VerifyException(f"{values} shape must match indices shape")
    rank = len(memory.shape)
    if len(types.shape(indices)) != rank:
        raise VerifyException(f"{name} and indices must have the same rank")
    if not 0 <= axis < rank:
        raise VerifyException(f"axis {axis} is out of bounds for {name} rank {rank}")


@operation
class LocalGatherOp(Op):
    """Gather elements of a buffer along an axis by index.

    `%t = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<…>, tensor<8xi32, #blocked> ->
    tensor<8xf16, #blocked>`
    """

    name = "ttg.local_gather"
    src = operand_def(MEMDESC)
    indices = operand_def(INT_TENSOR)
    optionals = var_operand_def()
    axis = i32_prop()
    result = result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    OPTIONAL_TYPES: ClassVar = {"token": ASYNC_TOKEN}
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
        indices, result = self.indices.type, self.result.type
        _check_indices("source", "result", self.axis.value.data, memory, (indices, result))
        if memory.element_type != types.element(result):
            raise VerifyException("result element type must match source element type")
        if types.encoding(indices) is not types.encoding(result):
            raise VerifyException("indices and result must have the same layout")


@operation
class LocalScatterOp(Op):
    """Scatter elements into a buffer along an axis by index.

    `ttg.local_scatter %b[%i], %t {axis = 0 : i32} : !ttg.memdesc<…>, tensor<8xi32, #blocked>,
    tensor<8xf16, #blocked>`
    """

    name = "ttg.local_scatter"
    dst = operand_def(MEMDESC)
    values = operand_def(TENSOR)
    indices = operand_def(INT_TENSOR)
    optionals = var_operand_def()
    axis = i32_prop()
    traits = traits_def(MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    OPTIONAL_TYPES: ClassVar = {"token": ASYNC_TOKEN}
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
        indices, values = self.indices.type, self.values.type
        _check_indices("destination", "values", self.axis.value.data, memory, (indices, values))
        if types.encoding(values) is not types.encoding(indices):
            raise VerifyException("values must have the same layout as indices")
        if memory.element_type != types.element(values):
            raise VerifyException("values element type must match destination element type")


@operation
class GlobalScratchAllocOp(Op):
    """Allocate scratch memory in global memory for this program.

    `%p = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>`
    """

    name = "ttg.global_scratch_alloc"
    nbytes = i32_prop()
    alignment = i32_prop()
    result = result_def(POINTER)
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
