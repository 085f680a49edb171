"""Scalars among the arguments of a launch, and how messages describe an argument."""

from __future__ import annotations

from typing import Protocol, SupportsIndex, TypeGuard

from weft.launch.arrays import is_array

__all__ = ["NumpyScalar", "describe_argument", "python_number"]


class NumpyScalar(Protocol):
    """A number of numpy, or of a library with the same protocol."""

    def item(self) -> int | float | bool:
        """Convert it to a Python number."""
        ...


def python_number(value: object) -> int | float | bool | None:
    """Convert a numpy scalar, or an object with `__index__`, to a Python number.

    Returns:
        The number; None if the value is neither.
    """
    if _is_numpy_scalar(value):
        return value.item()
    return value.__index__() if _has_index(value) else None


def _is_numpy_scalar(value: object) -> TypeGuard[NumpyScalar]:
    dtype_kind = getattr(getattr(value, "dtype", None), "kind", "")
    return getattr(value, "shape", None) == () and dtype_kind in ("b", "i", "u", "f")


def _has_index(value: object) -> TypeGuard[SupportsIndex]:
    return hasattr(type(value), "__index__")


def describe_argument(value: object) -> str:
    """Describe an argument in a message."""
    if is_array(value):
        return f"an array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:80]
