"""Arrays that a kernel updates while it is measured: cleared, or put back as they were.

Of whatever library: torch's tensors, numpy's and cupy's arrays by their own methods, any other
array in this process's memory by a numpy view.
"""

from __future__ import annotations

from typing import Any

from weft.errors import LaunchError
from weft.launch.arrays import as_numpy, is_array
from weft.launch.devices import opened

__all__ = ["clear", "copied", "put_back"]


def clear(array: Any, name: str) -> None:
    """Set all elements to zero.

    Args: name: of the kernel's parameter, for the error.
    Raises: LaunchError: not an array, or one that cannot be written from here.
    """
    if hasattr(array, "zero_"):
        array.zero_()
    elif _has_methods(array):
        array[...] = 0
    else:
        _view(array, name)[...] = 0


def copied(array: Any, name: str) -> Any:
    """Return a copy, on the device that the array is on.

    Raises: LaunchError: not an array, or one that cannot be read from here.
    """
    if hasattr(array, "clone"):
        return array.clone()
    return array.copy() if _has_methods(array) else _view(array, name).copy()


def put_back(array: Any, saved: Any, name: str) -> None:
    """Give an array the elements of a copy that `copied` made of it."""
    if hasattr(array, "copy_"):
        array.copy_(saved)
    elif _has_methods(array):
        array[...] = saved
    else:
        _view(array, name)[...] = saved


def _has_methods(array: Any) -> bool:
    """Tell whether an array copies itself and takes values by index, as numpy's and cupy's do."""
    return all(hasattr(array, name) for name in ("copy", "fill", "__setitem__"))


def _view(array: Any, name: str) -> Any:
    (seen,) = opened({name: array}).values()
    if not is_array(seen):
        raise LaunchError(
            f"parameter {name} is no array that could be reset or restored",
            found=type(array).__name__,
            accepted=["a torch tensor", "a numpy array", "a cupy array"],
        )
    return as_numpy(seen, name)
