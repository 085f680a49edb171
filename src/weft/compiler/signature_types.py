"""Types, paths and attributes that signatures are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Path = tuple[int, ...]
TypeName = str | tuple["TypeName", ...]

CONSTEXPR = "constexpr"
DIVISIBILITY = "tt.divisibility"


def leaves(kind: TypeName, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and name of every type in `kind`, which stands at `path`."""
    if isinstance(kind, str):
        yield path, kind
        return
    for index, item in enumerate(kind):
        yield from leaves(item, (*path, index))


def plain(value: object) -> object:
    """Take a `constexpr` wrapper, ours or Triton's, off a value; make numpy numbers Python's."""
    inner: Any = value
    while type(inner).__name__ == CONSTEXPR and hasattr(inner, "value"):
        inner = inner.value
    is_numpy_number = type(inner).__module__ == "numpy" and getattr(inner, "shape", None) == ()
    return inner.item() if is_numpy_number else inner
