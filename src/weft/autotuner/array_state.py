"""Reset and restore arrays that a kernel updates while it is measured.

torch tensors, numpy and cupy arrays use their own methods; any other array in this process's memory
is viewed as a numpy array.
"""

from __future__ import annotations

from types import EllipsisType
from typing import Protocol, TypeGuard

from weft.errors import LaunchError
from weft.launch.argument_views import view_arguments
from weft.launch.arrays import as_numpy, is_array

__all__ = ["copy_array", "restore_array", "zero_array"]


class _TorchArray(Protocol):
    """The methods of a torch tensor that are used here."""

    def zero_(self) -> object: ...
    def clone(self) -> object: ...
    def copy_(self, source: object, /) -> object: ...


class _NumpyArray(Protocol):
    """The methods of arrays of numpy and cupy that are used here."""

    def copy(self) -> object: ...
    def fill(self, value: int, /) -> object: ...
    def __setitem__(self, index: EllipsisType, value: object, /) -> None: ...


def zero_array(array: object, name: str) -> None:
    """Set all elements to zero.

    Args:
        array: The array.
        name: The kernel's parameter, for messages.

    Raises:
        LaunchError: Not an array, or one that cannot be accessed from the host.
    """
    if _is_torch_array(array, "zero_"):
        array.zero_()
    else:
        _numpy_array(array, name)[...] = 0


def copy_array(array: object, name: str) -> object:
    """Copy an array on its device.

    Raises:
        LaunchError: As `zero_array`.
    """
    if _is_torch_array(array, "clone"):
        return array.clone()
    return _numpy_array(array, name).copy()


def restore_array(array: object, copy: object, name: str) -> None:
    """Set an array's elements to those of a copy that `copy_array` made.

    Raises:
        LaunchError: As `zero_array`.
    """
    if _is_torch_array(array, "copy_"):
        array.copy_(copy)
    else:
        _numpy_array(array, name)[...] = copy


def _is_torch_array(array: object, method: str) -> TypeGuard[_TorchArray]:
    return hasattr(array, method)


def _has_numpy_methods(array: object) -> TypeGuard[_NumpyArray]:
    return all(hasattr(array, name) for name in ("copy", "fill", "__setitem__"))


def _numpy_array(array: object, name: str) -> _NumpyArray:
    """Get the array itself, or a numpy view of it, to read and write all elements."""
    if _has_numpy_methods(array):
        return array
    (view,) = view_arguments({name: array}).values()
    if not is_array(view):
        raise LaunchError(
            f"parameter {name} is not an array and cannot be reset or restored",
            found=type(array).__name__,
            accepted=["a torch tensor", "a numpy array", "a cupy array"],
        )
    return as_numpy(view, name)
