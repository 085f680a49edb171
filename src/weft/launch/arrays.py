"""Arrays of any library as memory: address, element type, and a numpy view of the same bytes.

These count as arrays: numpy arrays (with the bfloat16 and float8 types of ml_dtypes), objects with
`__array_interface__`, and objects with `data_ptr()` and `dtype`, such as torch tensors. Nothing is
copied.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast

from weft.compiler.signature_types import Path
from weft.compiler.type_names import NUMPY_NAMES, numpy_dtype_name, scalar_name
from weft.errors import LaunchError
from weft.launch.array_types import (
    Array,
    Descriptor,
    HostArray,
    PointerArray,
    Storage,
    StridedArray,
)

# numpy is imported where it is used: a launch on a GPU does not need it.
if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import TypeIs

__all__ = [
    "address",
    "as_numpy",
    "check_on_host",
    "element_type_name",
    "has_dtype",
    "has_stride",
    "is_array",
    "is_descriptor",
    "item_at",
    "numpy_dtype",
    "storage_bytes",
    "strided_view",
    "tuple_like",
]

_HOST_DEVICES = ("cpu", "")
_SCALAR_CLASSES = frozenset({int, float, bool, str, tuple, type(None)})  # most arguments


class _RangedArray(Protocol):
    """An array that has its size in bytes, as Triton's wrappers of pointers do."""

    def ptr_range(self) -> int: ...


class _Storage(Protocol):
    def nbytes(self) -> int: ...


class _TorchTensor(Protocol):
    def untyped_storage(self) -> _Storage: ...


def is_array(value: object) -> TypeGuard[Array]:
    """Check whether a value is passed to a kernel as a pointer. A numpy scalar is not."""
    if type(value) in _SCALAR_CLASSES:
        return False
    import numpy as np

    if isinstance(value, np.ndarray):
        return True
    if not hasattr(value, "dtype"):
        return False
    return hasattr(value, "data_ptr") or (
        hasattr(value, "__array_interface__") and not isinstance(value, np.generic)
    )


def is_descriptor(value: object) -> TypeGuard[Descriptor]:
    """Check whether a value is a tensor descriptor made on the host, weft's or Triton's."""
    if type(value) in _SCALAR_CLASSES or not hasattr(value, "block_shape"):
        return False
    return all(hasattr(value, name) for name in ("base", "shape", "strides"))


def element_type_name(array: Array) -> str | None:
    """Find the signature name of an array's element type; None if kernels have no such type."""
    return _type_name(array.dtype)


@functools.cache
def _type_name(dtype: object) -> str | None:
    name = getattr(dtype, "name", None)
    is_numpy = hasattr(dtype, "isnative")
    if name in NUMPY_NAMES:
        is_native = getattr(dtype, "isnative", True)  # byte-swapped arrays are not supported
        return NUMPY_NAMES[name] if is_native else None
    return None if is_numpy else scalar_name(str(dtype))


def address(array: object) -> int:
    """Get the address of an array's first element."""
    if _has_pointer(array):
        return array.data_ptr()
    return cast("HostArray", array).__array_interface__["data"][0]


def storage_bytes(array: object) -> int | None:
    """Compute the size of the memory that an array is a view of; None if it is unknown."""
    if hasattr(array, "ptr_range"):
        return int(cast("_RangedArray", array).ptr_range())
    if hasattr(array, "untyped_storage"):
        return cast("_TorchTensor", array).untyped_storage().nbytes()
    base = array
    while (owner := getattr(base, "base", None)) is not None:
        base = owner
    size = getattr(base, "nbytes", None)
    return size if isinstance(size, int) else None


def _has_pointer(array: object) -> TypeGuard[PointerArray]:
    return hasattr(array, "data_ptr")


def has_dtype(value: object) -> TypeIs[Array]:
    """Check whether a value has an element type: arrays, and scalars of numpy."""
    return hasattr(value, "dtype")


def has_stride(array: object) -> TypeIs[StridedArray]:
    """Check whether an array has the method `stride()`, as torch tensors have."""
    return callable(getattr(array, "stride", None))


def tuple_like(original: tuple[object, ...], items: Sequence[object]) -> object:
    """Build a tuple of other items, of the same class if the original is a named tuple."""
    if not hasattr(original, "_fields"):
        return tuple(items)
    cls = cast("Callable[..., object]", type(original))
    return cls(*items)


def item_at(value: object, path: Path) -> object:
    """Get the item at a path of nested tuples; the value itself at the empty path."""
    for index in path:
        value = cast("tuple[object, ...]", value)[index]
    return value


def check_on_host(array: object, parameter: str) -> None:
    """Check that the bytes of an array are in this process's memory.

    Args:
        array: The array.
        parameter: The kernel's parameter, for the message.

    Raises:
        LaunchError: They are not.
    """
    device = getattr(array, "device", "")
    device_type = str(getattr(device, "type", device)).partition(":")[0]
    if device_type not in _HOST_DEVICES or hasattr(array, "__cuda_array_interface__"):
        raise LaunchError(
            f"Pointer argument {parameter} cannot be accessed from the CPU device",
            found=f"an array on {device or 'a GPU'}",
            accepted=["a numpy array", "a tensor on the CPU"],
            hint=f"pass a copy on the CPU, such as {parameter}.cpu()",
        )


def as_numpy(array: object, parameter: str) -> np.ndarray:
    """View an array as a numpy array over the same bytes.

    Args:
        array: The array.
        parameter: The kernel's parameter, for messages.

    Raises:
        LaunchError: The array is on another device.
    """
    import numpy as np

    if isinstance(array, np.ndarray):
        return array
    check_on_host(array, parameter)
    return _view_of_pointer(array) if _has_pointer(array) else np.asarray(array)


def _view_of_pointer(array: PointerArray) -> np.ndarray:
    """View the elements that shape and strides reach from `data_ptr()`.

    The base of the view is all memory that a kernel may access: that of torch's storage.
    """
    import numpy as np

    dtype = numpy_dtype(str(element_type_name(array)))
    shape = tuple(array.shape)
    if 0 in shape:
        return np.empty(shape, dtype)
    if has_stride(array):
        strides = tuple(array.stride())
    else:
        strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    first = array.data_ptr()
    low = first + sum(step for step in steps if step < 0) * dtype.itemsize
    high = first + (1 + sum(step for step in steps if step > 0)) * dtype.itemsize
    low, high = _storage_bounds(array, low, high)
    buffer = np.frombuffer(memoryview((ctypes.c_char * (high - low)).from_address(low)), np.uint8)
    byte_strides = [stride * dtype.itemsize for stride in strides]
    return np.ndarray(shape, dtype, buffer, first - low, byte_strides)


def _storage_bounds(array: object, low: int, high: int) -> tuple[int, int]:
    """Widen a range of addresses to the storage of a torch tensor, which views share."""
    storage = getattr(array, "untyped_storage", None)
    if not callable(storage):
        return low, high
    memory = cast("Storage", storage())
    start = memory.data_ptr()
    return min(low, start), max(high, start + memory.nbytes())


def strided_view(array: np.ndarray, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """View an array's memory in another shape, with strides in bytes.

    numpy's `as_strided` only takes its own element types; other elements pass through it as
    unsigned integers of the same size.
    """
    import numpy as np

    raw = array.view(f"u{array.itemsize}")
    return np.lib.stride_tricks.as_strided(raw, shape, strides).view(array.dtype)


def numpy_dtype(name: str) -> np.dtype:
    """Get the dtype of an element type, from ml_dtypes if numpy has none.

    Raises:
        LaunchError: Neither has one.
    """
    import ml_dtypes
    import numpy as np

    dtype_name = numpy_dtype_name(name)
    if dtype_name is None:
        raise LaunchError(f"numpy has no dtype for {name}", found=name, accepted=NUMPY_NAMES)
    return np.dtype(getattr(ml_dtypes, dtype_name, None) or dtype_name)
