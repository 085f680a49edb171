"""The values of Gluon kernels that are not tensors: buffers and tensor descriptors.

BufferValue        a buffer in shared or tensor memory: its handle and type
AccumulatorValue   the result of an asynchronous warpgroup MMA
BlockDescriptor    a tensor descriptor whose blocks have a layout
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from xdsl.utils.exceptions import VerifyException

from weft.errors import TypeMismatchError
from weft.frontend.semantics.ir_types import descriptor_element_type, ir_type
from weft.frontend.semantics.values import MemberValue, TensorValue, TupleValue, Value, describe
from weft.gluon.layouts import Layout
from weft.gluon.nvidia.blackwell.tensor_memory import METHODS as TENSOR_MEMORY_METHODS
from weft.gluon.nvidia.blackwell.tensor_memory import tensor_memory_descriptor
from weft.gluon.nvidia.hopper import warpgroup_mma_accumulator
from weft.gluon.nvidia.hopper.tma import tensor_descriptor
from weft.gluon.shared_memory import METHODS as SHARED_MEMORY_METHODS
from weft.gluon.shared_memory import shared_memory_descriptor
from weft.gluon.types import (
    buffer_type,
    shared_memory_descriptor_type,
    tensor_descriptor_type,
    tensor_memory_descriptor_type,
    warpgroup_mma_accumulator_type,
)
from weft.ir import ttg, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.ttg.memdesc_verifier import verify_memdesc
from weft.ir.ttg.types import SharedMemoryAttr
from weft.ir.ttng.types import TensorMemoryAttr
from weft.language.builtin import Builtin
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype

__all__ = [
    "AccumulatorValue",
    "BlockDescriptor",
    "BufferValue",
    "SharedMemoryValue",
    "TensorMemoryValue",
    "block_descriptor",
    "descriptor_ir_type",
    "shared_memory",
    "shared_memory_ir_type",
    "tensor_memory",
    "tensor_memory_ir_type",
]

_V = TypeVar("_V")


class BufferValue(MemberValue, frozen=True):
    """A buffer, or a view of one.

    Attributes:
        handle: The SSA value.
        type: Its element type, shape, layout and the shape of its allocation.
    """

    handle: SSAValue
    type: buffer_type

    properties: ClassVar[Mapping[str, Callable[[Any], Value]]] = {
        "dtype": lambda value: constexpr(value.type.element_ty),
        "layout": lambda value: constexpr(value.type.layout),
        "numel": lambda value: constexpr(math.prod(value.type.shape)),
        "rank": lambda value: constexpr(len(value.type.shape)),
        "shape": lambda value: tuple(value.type.shape),
        "type": lambda value: constexpr(value.type),
    }

    @property
    def shape(self) -> list[int]:
        """The extents."""
        return self.type.shape

    @property
    def layout(self) -> Layout:
        """The layout in memory."""
        return self.type.layout

    @property
    def dtype(self) -> dtype:
        """The type of an element."""
        return self.type.element_ty

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA value."""
        return (self.handle,)

    def rebuild(self, handles: Iterator[SSAValue]) -> BufferValue:
        """Create a value of the same type from the next of `handles`."""
        return type(self)(next(handles), self.type)

    def __str__(self) -> str:
        return str(self.type)


class SharedMemoryValue(BufferValue, frozen=True):
    """A buffer in shared memory."""

    methods: ClassVar[Mapping[str, Builtin]] = SHARED_MEMORY_METHODS
    language_class: ClassVar[type] = shared_memory_descriptor


class TensorMemoryValue(BufferValue, frozen=True):
    """A buffer in tensor memory."""

    properties: ClassVar[Mapping[str, Callable[[Any], Value]]] = {
        name: BufferValue.properties[name] for name in ("dtype", "layout", "rank", "shape", "type")
    }
    methods: ClassVar[Mapping[str, Builtin]] = TENSOR_MEMORY_METHODS
    language_class: ClassVar[type] = tensor_memory_descriptor


class AccumulatorValue(MemberValue, frozen=True):
    """The accumulator of an asynchronous warpgroup MMA, which has to be waited for.

    Attributes:
        handle: The SSA value.
        type: Its type.
    """

    handle: SSAValue
    type: warpgroup_mma_accumulator_type

    language_class: ClassVar[type] = warpgroup_mma_accumulator
    properties: ClassVar[Mapping[str, Callable[[Any], Value]]] = {
        "type": lambda value: constexpr(value.type)
    }

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA value."""
        return (self.handle,)

    def rebuild(self, handles: Iterator[SSAValue]) -> AccumulatorValue:
        """Create a value of the same type from the next of `handles`."""
        return AccumulatorValue(next(handles), self.type)

    def __str__(self) -> str:
        return str(self.type)


class BlockDescriptor(MemberValue, frozen=True):
    """A tensor descriptor whose blocks have a layout in shared memory.

    Attributes:
        handle: The SSA value.
        type: Its type.
        sizes: The extents of the tensor, int32.
        strides: The strides in elements, int64.
    """

    handle: SSAValue
    type: tensor_descriptor_type
    sizes: tuple[TensorValue, ...]
    strides: tuple[TensorValue, ...]

    language_class: ClassVar[type] = tensor_descriptor
    properties: ClassVar[Mapping[str, Callable[[Any], Value]]] = {
        "block_shape": lambda value: value.type.block_type.shape,
        "block_type": lambda value: constexpr(value.type.block_type),
        "dtype": lambda value: constexpr(value.type.block_type.element_ty),
        "layout": lambda value: constexpr(value.type.layout),
        "nbytes_per_cta": lambda value: constexpr(value.type.nbytes_per_cta),
        "shape": lambda value: TupleValue(value.sizes),
        "strides": lambda value: TupleValue(value.strides),
        "type": lambda value: constexpr(value.type),
    }

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values: handle, sizes, strides."""
        return (self.handle, *(each.handle for each in (*self.sizes, *self.strides)))

    def rebuild(self, handles: Iterator[SSAValue]) -> BlockDescriptor:
        """Create a descriptor of the same type from the next of `handles`."""
        handle = next(handles)
        sizes = tuple(size.rebuild(handles) for size in self.sizes)
        strides = tuple(stride.rebuild(handles) for stride in self.strides)
        return BlockDescriptor(handle, self.type, sizes, strides)

    def __str__(self) -> str:
        return str(self.type)


_SHARED, _TENSOR = SharedMemoryAttr(), TensorMemoryAttr()


def shared_memory_ir_type(type_: shared_memory_descriptor_type) -> Attribute:
    """Return the IR type of a buffer in shared memory.

    Raises:
        LayoutError: The layout has no encoding.
        TypeMismatchError: The shape does not match the layout.
    """
    return _memdesc(type_, _SHARED)


def tensor_memory_ir_type(type_: tensor_memory_descriptor_type) -> Attribute:
    """Return the IR type of a buffer in tensor memory.

    Raises:
        LayoutError: The layout has no encoding.
        TypeMismatchError: The shape does not match the layout.
    """
    return _memdesc(type_, _TENSOR)


def _memdesc(type_: buffer_type, space: Attribute) -> Attribute:
    shape, whole = tuple(type_.shape), tuple(type_.alloc_shape)
    element = ir_type(type_.element_ty)
    try:
        verify_memdesc(shape, element, encoding_attribute(type_.encoding), space, whole)
    except VerifyException as error:
        raise TypeMismatchError(str(error), found=type_) from None
    return ttg.MemDescType.of(shape, element, type_.encoding, space, mutable=True, allocated=whole)


def descriptor_ir_type(type_: tensor_descriptor_type) -> Attribute:
    """Return the IR type of a tensor descriptor, whose integer types have signedness."""
    block = type_.block_type
    scalar = descriptor_element_type(block)
    return types.descriptor(types.tensor(block.shape, scalar, type_.layout.encoding))


def tensor_memory(name: str, value: Value) -> TensorMemoryValue:
    """Check that an argument is a buffer in tensor memory.

    Raises:
        TypeMismatchError: It is not.
    """
    return _instance(name, value, TensorMemoryValue, "tensor_memory_descriptor")


def block_descriptor(name: str, value: Value) -> BlockDescriptor:
    """Check that an argument is a tensor descriptor with a layout.

    Raises:
        TypeMismatchError: It is not.
    """
    return _instance(name, value, BlockDescriptor, "tensor_descriptor")


def shared_memory(name: str, value: Value) -> SharedMemoryValue:
    """Check that an argument is a buffer in shared memory.

    Raises:
        TypeMismatchError: It is not.
    """
    return _instance(name, value, SharedMemoryValue, "shared_memory_descriptor")


def _instance(name: str, value: Value, cls: type[_V], kind: str) -> _V:
    """Check the class of an argument.

    Args:
        name: The name of the argument.
        value: The argument.
        cls: The class of the value that it must be.
        kind: Triton's name of that kind of value.

    Raises:
        TypeMismatchError: It is not.
    """
    if not isinstance(value, cls):
        raise TypeMismatchError(
            f"expected {name} to be a {kind} but got {describe(value)}", found=describe(value)
        )
    return value
