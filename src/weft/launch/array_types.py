"""The arrays and descriptors of other libraries, as the protocols that weft reads them through.

Each protocol lists what a launch reads of an argument, not all that the library offers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, Protocol, TypedDict

__all__ = [
    "Array",
    "ArrayInterface",
    "ByteStridedArray",
    "CudaArrayInterface",
    "CudaInterfaceArray",
    "Descriptor",
    "DlpackArray",
    "HostArray",
    "PointerArray",
    "Storage",
    "StridedArray",
]


class Array(Protocol):
    """An array that a kernel takes as a pointer."""

    @property
    def dtype(self) -> object:
        """Element type: a dtype of numpy or torch, or its name."""
        ...


class PointerArray(Array, Protocol):
    """An array that offers the address of its first element, such as a torch tensor."""

    @property
    def shape(self) -> Sequence[int]:
        """Elements per axis."""
        ...

    def data_ptr(self) -> int:
        """Get the address of the first element."""
        ...


class StridedArray(PointerArray, Protocol):
    """A PointerArray with strides."""

    def stride(self) -> Sequence[int]:
        """Get the strides in elements."""
        ...


class Storage(Protocol):
    """The memory of a torch tensor and of all of its views."""

    def data_ptr(self) -> int:
        """Get the address of the first byte."""
        ...

    def nbytes(self) -> int:
        """Get the size in bytes."""
        ...


class ByteStridedArray(Protocol):
    """An array whose strides are in bytes, such as numpy's."""

    @property
    def shape(self) -> Sequence[int]:
        """Elements per axis."""
        ...

    @property
    def strides(self) -> Sequence[int] | None:
        """Strides in bytes, if the library has them."""
        ...

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        ...


class ArrayInterface(TypedDict):
    """The part of numpy's array interface that a launch reads: address, and if it is read-only."""

    data: tuple[int, bool]


class HostArray(Array, Protocol):
    """An array with numpy's array interface."""

    @property
    def __array_interface__(self) -> ArrayInterface:
        """The memory of the array."""
        ...


class CudaArrayInterface(TypedDict):
    """The CUDA Array Interface, version 3."""

    shape: tuple[int, ...]
    typestr: str
    data: tuple[int, bool]
    strides: NotRequired[tuple[int, ...] | None]
    mask: NotRequired[object]
    stream: NotRequired[int | None]


class CudaInterfaceArray(Protocol):
    """An array with the CUDA Array Interface."""

    @property
    def __cuda_array_interface__(self) -> CudaArrayInterface:
        """The memory of the array."""
        ...


class DlpackArray(Protocol):
    """An array that exports its memory through DLPack."""

    def __dlpack__(self, *, stream: int | None = None) -> object:
        """Create a capsule with a DLManagedTensor."""
        ...

    def __dlpack_device__(self) -> tuple[int, int]:
        """Get DLDeviceType and number of the device."""
        ...


class Descriptor(Protocol):
    """A tensor descriptor made on the host, weft's or Triton's."""

    @property
    def base(self) -> object:
        """The array."""
        ...

    @property
    def shape(self) -> Sequence[int]:
        """Elements per dimension."""
        ...

    @property
    def strides(self) -> Sequence[int]:
        """Strides in elements."""
        ...

    @property
    def block_shape(self) -> Sequence[int]:
        """Shape of a tile."""
        ...
