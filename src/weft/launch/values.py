"""Arguments of a launch that are not arrays: numbers, and how messages name them."""

from __future__ import annotations

from typing import Any

from weft.launch.arrays import is_array

__all__ = ["described", "number_of"]


def number_of(value: Any) -> int | float | bool | None:
    """Return the Python number of a numpy scalar or of anything that converts without loss."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if getattr(value, "shape", None) == () and kind in ("b", "i", "u", "f"):
        return value.item()
    return value.__index__() if hasattr(type(value), "__index__") else None


def described(value: Any) -> str:
    """Return what a message says of an argument."""
    if is_array(value):
        return f"an array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:80]
