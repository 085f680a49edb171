"""Reset and restore arrays that a kernel updates while it is measured.

torch tensors, numpy and cupy arrays use their own methods; any other array in this process's memory
is viewed as a numpy array.
"""

from __future__ import annotations

from typing import Any

from weft.errors import LaunchError
from weft.launch.argument_views import view_arguments
from weft.launch.arrays import as_numpy, is_array

__all__ = ["copy_array", "restore_array", "zero_array"]


def zero_array(array: Any, name: str) -> None:
    """Set all elements to zero.

    Args:
        array: The array.
        name: The kernel's parameter, for messages.

    Raises:
        LaunchError: Not an array, or one that cannot be accessed from the host.
    """
    if hasattr(array, "zero_"):
        array.zero_()
    elif _has_numpy_methods(array):
        array[...] = 0
    else:
        _numpy_view(array, name)[...] = 0


def copy_array(array: Any, name: str) -> Any:
    """Copy an array on its device.

    Raises:
        LaunchError: As `zero_array`.
    """
    if hasattr(array, "clone"):
        return array.clone()
    return array.copy() if _has_numpy_methods(array) else _numpy_view(array, name).copy()


def restore_array(array: Any, copy: Any, name: str) -> None:
    """Set an array's elements to those of a copy that `copy_array` made.

    Raises:
        LaunchError: As `zero_array`.
    """
    if hasattr(array, "copy_"):
        array.copy_(copy)
    elif _has_numpy_methods(array):
        array[...] = copy
    else:
        _numpy_view(array, name)[...] = copy


def _has_numpy_methods(array: object) -> bool:
    return all(hasattr(array, name) for name in ("copy", "fill", "__setitem__"))


def _numpy_view(array: Any, name: str) -> Any:
    (view,) = view_arguments({name: array}).values()
    if not is_array(view):
        raise LaunchError(
            f"parameter {name} is not an array and cannot be reset or restored",
            found=type(array).__name__,
            accepted=["a torch tensor", "a numpy array", "a cupy array"],
        )
    return as_numpy(view, name)
