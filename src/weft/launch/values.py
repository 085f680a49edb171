"""Scalars among the arguments of a launch, and how messages describe an argument."""

from __future__ import annotations

from typing import Any

from weft.launch.arrays import is_array

__all__ = ["describe_argument", "python_number"]


def python_number(value: Any) -> int | float | bool | None:
    """Convert a numpy scalar, or an object with `__index__`, to a Python number.

    Returns:
        The number; None if the value is neither.
    """
    dtype_kind = getattr(getattr(value, "dtype", None), "kind", "")
    if getattr(value, "shape", None) == () and dtype_kind in ("b", "i", "u", "f"):
        return value.item()
    return value.__index__() if hasattr(type(value), "__index__") else None


def describe_argument(value: Any) -> str:
    """Describe an argument in a message."""
    if is_array(value):
        return f"an array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:80]
