"""Arrays of other libraries, through the two protocols that expose an array's memory.

    __cuda_array_interface__    cupy, numba, jax, …: a dict with the address, the element type, the
                                shape, and the stream on which the data is ready
    __dlpack__                  the same as a C struct, for any device

`view_array` gives such an array the attributes of a torch tensor that weft uses: `data_ptr()`,
`dtype`, `device`, `shape`, `stride()`. torch tensors and numpy arrays do not need it.

Sources: Numba's documentation of the CUDA Array Interface, version 3; dlpack.h of DLPack 1.1.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import Struct

from weft.errors import LaunchError
from weft.launch.array_types import CudaArrayInterface, CudaInterfaceArray, DlpackArray
from weft.launch.drivers.active import active_driver

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import TypeIs

__all__ = [
    "LEGACY_STREAM",
    "ArrayHeader",
    "ArrayView",
    "Device",
    "cuda_interface_header",
    "dlpack_header",
    "is_protocol_array",
    "view_array",
]

_SCALAR_CLASSES = (int, float, bool, str, tuple, type(None))
# DLDeviceType. Managed memory (13) counts as the GPU's, since the GPU reads it in place. AMD's GPUs
# (10) have the name that torch gives them.
_DLPACK_DEVICES = {1: "cpu", 2: "cuda", 3: "pinned", 10: "cuda", 11: "pinned", 13: "cuda"}
# DLDataTypeCode and bits → dtype name of numpy or ml_dtypes.
_DLPACK_ELEMENTS = {
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
_ROCM_DEVICE = 10
LEGACY_STREAM = 1
"""The default stream of CUDA, as both protocols write it; DLPack writes 0 for that of ROCm."""
_CAPSULE_NAME = b"dltensor"


class Device(Struct, frozen=True):
    """A device as torch names it.

    Attributes:
        type: "cpu", "cuda" (AMD, too) or "pinned".
        index: Its number among the devices of its type.
    """

    type: str
    index: int | None = None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


@dataclass(frozen=True, slots=True)
class ArrayView:
    """An array of another library, with the attributes of a torch tensor.

    Attributes:
        address: Address of the first element.
        dtype: Element type: a numpy dtype, or its name.
        device: Where the memory is.
        shape: Elements per axis.
        strides: Strides in elements.
        stream: The stream on which the data is ready; None if it is ready.
        owner: Keeps the memory alive.
    """

    address: int
    dtype: object
    device: Device
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    stream: int | None = None
    owner: object = field(default=None, repr=False, compare=False)

    def data_ptr(self) -> int:
        """Get the address of the first element."""
        return self.address

    def stride(self) -> tuple[int, ...]:
        """Get the strides in elements."""
        return self.strides

    def is_pinned(self) -> bool:
        """Check whether the memory is the host's and a GPU can read it in place."""
        return self.device.type == "pinned"


class ArrayHeader(NamedTuple):
    """The part of an array that a launch reads; see ArrayView."""

    address: int
    dtype: object
    device: Device
    stream: int | None


def is_protocol_array(value: object) -> TypeIs[CudaInterfaceArray | DlpackArray]:
    """Check whether an argument is an array that only one of the two protocols can read."""
    if type(value) in _SCALAR_CLASSES or isinstance(value, _SCALAR_CLASSES):
        return False
    if hasattr(value, "data_ptr"):
        return False
    if hasattr(value, "__cuda_array_interface__"):
        return True
    return hasattr(type(value), "__dlpack__") and not hasattr(value, "__array_interface__")


def view_array(array: object, parameter: str, stream: int | None = None) -> ArrayView:
    """View an array of another library; nothing is copied.

    Args:
        array: The array.
        parameter: The kernel's parameter, for messages.
        stream: The stream on which a GPU's array will be used; None if it is not known yet.

    Raises:
        LaunchError: An element type, device or feature that weft does not support.
    """
    if has_cuda_interface(array):
        return _view_cuda_interface(array, parameter, array.__cuda_array_interface__)
    return _view_dlpack(cast("DlpackArray", array), parameter, stream)


def has_cuda_interface(value: object) -> TypeIs[CudaInterfaceArray]:
    """Check whether a value has a `__cuda_array_interface__`."""
    return getattr(value, "__cuda_array_interface__", None) is not None


def cuda_interface_header(array: CudaInterfaceArray) -> ArrayHeader:
    """Read the header of an array with a `__cuda_array_interface__`.

    Raises:
        LaunchError: As `view_array`.
    """
    return _cuda_interface_header(array, "", array.__cuda_array_interface__)


def dlpack_header(array: DlpackArray, stream: int | None) -> ArrayHeader:
    """Read the header of an array with a `__dlpack__`.

    Args:
        array: The array.
        stream: As of `view_array`.

    Raises:
        LaunchError: As `view_array`.
    """
    capsule, device = _export_dlpack(array, "", stream)
    tensor = _DLTensor.from_address(_get_pointer(capsule, _CAPSULE_NAME))
    address = (tensor.data or 0) + tensor.byte_offset
    return ArrayHeader(address, _dlpack_element(tensor.dtype, ""), device, None)


def _cuda_interface_header(
    array: object, parameter: str, interface: CudaArrayInterface
) -> ArrayHeader:
    if interface.get("mask") is not None:
        raise LaunchError(
            f"parameter {parameter}: masked arrays are not supported",
            found="__cuda_array_interface__ with a mask",
            accepted=["an array without a mask"],
        )
    dtype = _numpy_dtype(interface["typestr"])
    # bfloat16 and float8 have the typestr of raw bytes, "V"; the array knows better.
    element = getattr(array, "dtype", dtype) if dtype.kind == "V" else dtype
    index = getattr(getattr(array, "device", None), "id", None)
    if not isinstance(index, int):
        index = _device_of_address(interface["data"][0])
    stream = interface.get("stream")
    stream = 0 if stream == LEGACY_STREAM else stream
    return ArrayHeader(int(interface["data"][0]), element, _device("cuda", index), stream)


def _view_cuda_interface(array: object, parameter: str, interface: CudaArrayInterface) -> ArrayView:
    address, dtype, device, stream = _cuda_interface_header(array, parameter, interface)
    shape, byte_strides = tuple(map(int, interface["shape"])), interface.get("strides")
    if byte_strides is None:
        strides = _contiguous_strides(shape)
    else:
        item_size = _numpy_dtype(interface["typestr"]).itemsize
        strides = tuple(int(stride) // item_size for stride in byte_strides)
    return ArrayView(address, dtype, device, shape, strides, stream, owner=array)


@cache
def _numpy_dtype(name: str) -> np.dtype:
    import numpy as np

    return np.dtype(name)


@cache
def _device(device_type: str, index: int | None) -> Device:
    return Device(device_type, index)


def _device_of_address(address: int) -> int:
    return active_driver().device_of_address(address) if address else 0


class _DLDataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _DLTensor(ctypes.Structure):
    """DLTensor, the first member of DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _view_dlpack(array: DlpackArray, parameter: str, stream: int | None) -> ArrayView:
    """Read the struct in the capsule. The view keeps the capsule, whose destructor frees it."""
    capsule, device = _export_dlpack(array, parameter, stream)
    tensor = _DLTensor.from_address(_get_pointer(capsule, _CAPSULE_NAME))
    element = _dlpack_element(tensor.dtype, parameter)
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else _contiguous_strides(shape)
    address = (tensor.data or 0) + tensor.byte_offset
    return ArrayView(address, element, device, shape, strides, None, owner=(capsule, array))


def _export_dlpack(array: DlpackArray, parameter: str, stream: int | None) -> tuple[object, Device]:
    """Ask an array for its capsule, ready for use on a stream."""
    code, index = map(int, array.__dlpack_device__())
    device_type = _DLPACK_DEVICES.get(code)
    if device_type is None:
        raise LaunchError(
            f"parameter {parameter} is on a device that weft does not support",
            found=f"DLPack device {code}:{index}",
            accepted=["the CPU", "an NVIDIA or AMD GPU"],
        )
    on_gpu = device_type == "cuda" and stream is not None
    default_stream = 0 if code == _ROCM_DEVICE else LEGACY_STREAM
    capsule = array.__dlpack__(stream=stream or default_stream) if on_gpu else array.__dlpack__()
    return capsule, _device(device_type, None if device_type == "cpu" else index)


def _dlpack_element(dtype: _DLDataType, parameter: str) -> str:
    name = _DLPACK_ELEMENTS.get((dtype.code, dtype.bits))
    if name is None or dtype.lanes != 1:
        raise LaunchError(
            f"parameter {parameter} has an element type that kernels do not support",
            found=f"DLPack type {dtype.code}, {dtype.bits} bits, {dtype.lanes} lanes",
            accepted=_DLPACK_ELEMENTS.values(),
        )
    return name


def _contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Compute the strides, in elements, of a contiguous row-major array."""
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))
