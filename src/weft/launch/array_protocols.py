"""Arrays of other libraries, by the two protocols that say where an array's bytes are.

    __cuda_array_interface__    cupy, numba, jax, …: a dictionary with the address, the element
                                type, the shape, and the stream on which the bytes are ready
    __dlpack__                  the same as a C structure, for any device

`viewed` gives such an array the few names by which the rest of weft asks a tensor: `data_ptr()`,
`dtype`, `device`, `shape`, `stride()`. torch's tensors and numpy's arrays have their own.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from weft.errors import LaunchError
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = [
    "LEGACY_STREAM",
    "Device",
    "ForeignArray",
    "Glimpse",
    "is_foreign_array",
    "seen_by_cuda_interface",
    "seen_by_dlpack",
    "viewed",
]

_PLAIN = (int, float, bool, str, tuple, type(None))
# DLDeviceType: its name here; memory that the GPU reads where it lies counts as the GPU's.
_DEVICES = {1: "cpu", 2: "cuda", 3: "pinned", 10: "hip", 11: "pinned", 13: "cuda"}
# DLDataTypeCode and bits: the element type, by the name that numpy or ml_dtypes gives it.
_ELEMENTS = {
    **{(0, bits): f"int{bits}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"float{bits}" for bits in (16, 32, 64)},
    (4, 16): "bfloat16",
    (6, 8): "bool",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
}
LEGACY_STREAM = 1  # how both protocols write the default stream
_CAPSULE = b"dltensor"


@dataclass(frozen=True, slots=True)
class Device:
    """Where an array is: "cpu", "cuda", "hip" or "pinned", and which of them."""

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@dataclass(frozen=True, slots=True)
class ForeignArray:
    """An array of another library.

    Args: address: of its first element.  dtype: of its elements, numpy's or a name.
          strides: in elements.  stream: on which its bytes are ready; None if they are.
          owner: what must live as long as this does.
    """

    address: int
    dtype: Any
    device: Device
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    stream: int | None = None
    owner: object = field(default=None, repr=False, compare=False)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self.address

    def stride(self) -> tuple[int, ...]:
        """Return the distances between neighbours along each axis, in elements."""
        return self.strides

    def is_pinned(self) -> bool:
        """Return whether the bytes are the host's, where a GPU reads them in place."""
        return self.device.type == "pinned"


class Glimpse(NamedTuple):
    """What a launch must know of an array: see ForeignArray."""

    address: int
    dtype: Any
    device: Device
    stream: int | None


def is_foreign_array(value: Any) -> bool:
    """Tell whether an argument is an array that only one of the two protocols opens."""
    if type(value) in _PLAIN or isinstance(value, _PLAIN) or hasattr(value, "data_ptr"):
        return False
    if hasattr(value, "__cuda_array_interface__"):
        return True
    return hasattr(type(value), "__dlpack__") and not hasattr(value, "__array_interface__")


def viewed(value: Any, parameter: str, stream: int | None = None) -> ForeignArray:
    """Return an array of another library as weft sees arrays; nothing is copied.

    Args: parameter: of the kernel, for the error.  stream: on which a GPU's array will be used,
          None where that is not known yet.
    Raises: LaunchError: what the array says of itself has no meaning here.
    """
    said = getattr(value, "__cuda_array_interface__", None)
    if said is not None:
        return _by_cuda_interface(value, parameter, said)
    return _by_dlpack(value, parameter, stream)


def seen_by_cuda_interface(value: Any) -> Glimpse:
    """Return what a launch must know of an array with a `__cuda_array_interface__`.

    Raises: LaunchError: as of `viewed`.
    """
    return _told_by_cuda_interface(value, "", value.__cuda_array_interface__)


def seen_by_dlpack(value: Any, stream: int | None) -> Glimpse:
    """Return what a launch must know of an array with a `__dlpack__`.

    Args, Raises: as of `viewed`.
    """
    capsule, place, index = _capsule(value, "", stream)
    found = _Tensor.from_address(_tensor_of(capsule, _CAPSULE))
    address = (found.data or 0) + found.byte_offset
    return Glimpse(address, _element_of(found.element, ""), _device(place, index), None)


def _told_by_cuda_interface(value: Any, parameter: str, said: dict[str, Any]) -> Glimpse:
    if said.get("mask") is not None:
        raise LaunchError(
            f"parameter {parameter} is an array with a mask",
            found="__cuda_array_interface__ with mask",
            accepted=["an array of plain elements"],
        )
    kind = _numpy_dtype(said["typestr"])
    element = value.dtype if kind.kind == "V" and hasattr(value, "dtype") else kind
    index = getattr(getattr(value, "device", None), "id", None)
    if not isinstance(index, int):
        index = _device_of_address(said["data"][0])
    stream = said.get("stream")
    stream = 0 if stream == LEGACY_STREAM else stream
    return Glimpse(int(said["data"][0]), element, _device("cuda", index), stream)


def _by_cuda_interface(value: Any, parameter: str, said: dict[str, Any]) -> ForeignArray:
    seen = _told_by_cuda_interface(value, parameter, said)
    shape, steps = tuple(map(int, said["shape"])), said.get("strides")
    size = _numpy_dtype(said["typestr"]).itemsize
    strides = _dense(shape) if steps is None else tuple(int(step) // size for step in steps)
    return ForeignArray(seen.address, seen.dtype, seen.device, shape, strides, seen.stream, value)


@cache
def _numpy_dtype(name: str) -> Any:
    import numpy as np

    return np.dtype(name)


@cache
def _device(place: str, index: int | None) -> Device:
    return Device(place, index)


def _device_of_address(address: int) -> int:
    return CudaDriver.get().device_of(address) if address else 0


class _Element(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    """DLTensor: first in DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("element", _Element),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_tensor_of = ctypes.pythonapi.PyCapsule_GetPointer
_tensor_of.restype = ctypes.c_void_p
_tensor_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _by_dlpack(value: Any, parameter: str, stream: int | None) -> ForeignArray:
    """Read the structure; the capsule that owns it is kept, and frees it when it goes."""
    capsule, place, index = _capsule(value, parameter, stream)
    found = _Tensor.from_address(_tensor_of(capsule, _CAPSULE))
    element = _element_of(found.element, parameter)
    shape = tuple(found.shape[: found.ndim])
    strides = tuple(found.strides[: found.ndim]) if found.strides else _dense(shape)
    address = (found.data or 0) + found.byte_offset
    owner = (capsule, value)
    return ForeignArray(address, element, _device(place, index), shape, strides, None, owner)


def _capsule(value: Any, parameter: str, stream: int | None) -> tuple[Any, str, int | None]:
    """Return the capsule of a structure, and where the array is."""
    kind, index = value.__dlpack_device__()
    place = _DEVICES.get(int(kind))
    if place is None:
        raise LaunchError(
            f"parameter {parameter} is on a device that weft has no kernels for",
            found=f"DLPack device {int(kind)}:{index}",
            accepted=["the CPU", "a CUDA device"],
        )
    on_gpu = place == "cuda" and stream is not None
    capsule = value.__dlpack__(stream=stream or LEGACY_STREAM) if on_gpu else value.__dlpack__()
    return capsule, place, None if place == "cpu" else int(index)


def _element_of(element: _Element, parameter: str) -> str:
    name = _ELEMENTS.get((element.code, element.bits))
    if name is None or element.lanes != 1:
        raise LaunchError(
            f"parameter {parameter} is an array of a type that kernels do not have",
            found=f"DLPack type {element.code}, {element.bits} bits, {element.lanes} lanes",
            accepted=_ELEMENTS.values(),
        )
    return name


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of an array without gaps, the last axis the fastest."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
