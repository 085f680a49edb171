"""Types and paths of arguments, which signatures are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = [
    "CONSTEXPR",
    "DIVISIBILITY",
    "POINTER_RANGE",
    "AttributePairs",
    "Path",
    "TypeName",
    "leaf_types",
    "unwrap_constant",
]

Path = tuple[int, ...]
"""The position of an argument, (4,), or of an item of a tuple argument, (4, 0)."""

TypeName = str | tuple["TypeName", ...]
"""A type as signatures name it, "*fp16"; a tuple of types for a tuple argument."""

AttributePairs = tuple[tuple[str, int], ...]
"""Names and values of the attributes of one argument."""

CONSTEXPR = "constexpr"
DIVISIBILITY = "tt.divisibility"
POINTER_RANGE = "tt.pointer_range"


def leaf_types(type_name: TypeName, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and type of every item of a type, tuples flattened.

    Args:
        type_name: The type of the argument at `path`.
        path: The path that the items' paths start with.
    """
    if isinstance(type_name, str):
        yield path, type_name
        return
    for index, item in enumerate(type_name):
        yield from leaf_types(item, (*path, index))


def unwrap_constant(value: object) -> object:
    """Remove the `constexpr` wrappers of a value, and convert a numpy scalar to a Python number."""
    inner: Any = value  # weft's or Triton's constexpr, or a numpy scalar: neither is imported here
    while type(inner).__name__ == CONSTEXPR and hasattr(inner, "value"):
        inner = inner.value
    is_numpy_scalar = type(inner).__module__ == "numpy" and getattr(inner, "shape", None) == ()
    return inner.item() if is_numpy_scalar else inner
