"""Arrays of any library, seen as memory: address, element type, and a numpy view of the same bytes.

numpy arrays (with ml_dtypes' bfloat16 and float8), what offers `__array_interface__`, and what
offers `data_ptr()` and `dtype` (torch's tensors among them) are arrays here. Nothing is copied.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weft.compiler import type_names
from weft.errors import LaunchError

if TYPE_CHECKING:
    import numpy as np

_CPU = ("cpu", "")
_PLAIN = frozenset({int, float, bool, str, tuple, type(None)})  # what most arguments are


def is_array(value: Any) -> bool:
    """Tell whether a value is passed to a kernel as a pointer; a numpy scalar is not."""
    if type(value) in _PLAIN:
        return False
    import numpy as np

    if isinstance(value, np.ndarray):
        return True
    if not hasattr(value, "dtype"):
        return False
    return hasattr(value, "data_ptr") or (
        hasattr(value, "__array_interface__") and not isinstance(value, np.generic)
    )


def is_descriptor(value: Any) -> bool:
    """Tell whether a value is a tensor descriptor made on the host, ours or Triton's."""
    if type(value) in _PLAIN or not hasattr(value, "block_shape"):
        return False
    return all(hasattr(value, name) for name in ("base", "shape", "strides"))


def element_type(value: Any) -> str | None:
    """Return the signature name of an array's elements, None if kernels have no such type."""
    return _type_name(value.dtype)


@functools.cache
def _type_name(kind: Any) -> str | None:
    name = getattr(kind, "name", None)
    if name in type_names.NUMPY_NAMES:
        return type_names.NUMPY_NAMES[name] if getattr(kind, "isnative", True) else None
    return None if hasattr(kind, "isnative") else type_names.scalar(str(kind))


def address(value: Any) -> int:
    """Return the address of an array's first element."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    return value.__array_interface__["data"][0]


def check_device(value: Any, parameter: str) -> None:
    """Refuse an array whose bytes are not in this process's memory.

    Args: parameter: the name of the kernel's parameter.
    Raises: LaunchError.
    """
    device = getattr(value, "device", "")
    kind = str(getattr(device, "type", device)).partition(":")[0]
    if kind not in _CPU or hasattr(value, "__cuda_array_interface__"):
        raise LaunchError(
            f"parameter {parameter} is not in the memory of the embedded CPU device",
            found=f"an array on {device or 'a GPU'}",
            accepted=["a numpy array", "a tensor on the CPU"],
            hint=f"pass a copy on the CPU, such as {parameter}.cpu()",
        )


def as_numpy(value: Any, parameter: str) -> np.ndarray:
    """Return a numpy array over the same bytes.

    Args: parameter: the name of the kernel's parameter, for the error.
    Raises: LaunchError: the array is on another device.
    """
    import numpy as np

    if isinstance(value, np.ndarray):
        return value
    check_device(value, parameter)
    if not hasattr(value, "data_ptr"):
        return np.asarray(value)
    return _over_address(value)


def _over_address(value: Any) -> np.ndarray:
    """View the elements from `data_ptr()` to the last one that shape and strides reach."""
    import ctypes

    import numpy as np

    kind = numpy_dtype(str(element_type(value)))
    shape = tuple(value.shape)
    strides = tuple(value.stride()) if callable(getattr(value, "stride", None)) else None
    if 0 in shape:
        return np.empty(shape, kind)
    if strides is None:
        strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    count = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    memory = (ctypes.c_char * (count * kind.itemsize)).from_address(value.data_ptr())
    flat = np.frombuffer(memoryview(memory), kind)
    steps = tuple(stride * kind.itemsize for stride in strides)
    return strided(flat, shape, steps)


def strided(array: np.ndarray, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """Return a view of an array's memory in another shape; strides in bytes.

    numpy does this only for element types that it has itself; the bytes of others pass as integers.
    """
    import numpy as np

    raw = array.view(f"u{array.itemsize}")
    return np.lib.stride_tricks.as_strided(raw, shape, strides).view(array.dtype)


def numpy_dtype(name: str) -> np.dtype:
    """Return numpy's dtype of an element type, ml_dtypes' where numpy has none."""
    import ml_dtypes
    import numpy as np

    kind = type_names.numpy_name(name)
    if kind is None:
        raise LaunchError(
            "no numpy dtype has the elements of this type",
            found=name,
            accepted=type_names.NUMPY_NAMES,
        )
    return np.dtype(getattr(ml_dtypes, kind, None) or kind)
