"""Read basis vectors as people write them, {"lane": [[0, 1], [2, 0]]}, into packed ints.

With out-dimensions of sizes 4 and 4, the vector (a, b) is the int a | b << 2. What an entry adds is
looked up in a table of its dimension, here {0: 0, 1: 4, 2: 8, 3: 12} for b, which refuses by the
same step whatever is too large, or no integer. Only then a slower walk says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from weft.errors import LayoutError

__all__ = ["copied", "log2", "packed", "starts", "units"]

Vectors = Mapping[str, Sequence[Sequence[int]]]
Ins = tuple[tuple[str, tuple[int, ...]], ...]
Outs = tuple[tuple[str, int], ...]
_MOST_ENTRIES = 1024  # of a table that is made at once


def log2(size: int, what: str) -> int:
    """Return the number of bits of a size, which `what` has; LayoutError if it is no power."""
    if type(size) is not int or size < 1 or size & (size - 1):
        raise LayoutError(f"the size of {what} must be a power of two", found=size)
    return size.bit_length() - 1


@cache
def units(bits: int) -> frozenset[int]:
    """Return 1, 2, 4 … below 2^bits: vectors with these among them reach everything."""
    return frozenset(1 << bit for bit in range(bits))


class _Entries(dict[int, int]):
    """Hold what each entry of a large dimension adds, as far as it was asked for."""

    def __init__(self, size: int, start: int) -> None:
        self.size, self.start = size, start

    def __missing__(self, entry: int) -> int:
        if not 0 <= entry < self.size:
            raise KeyError(entry)
        self[entry] = image = int(entry) << self.start
        return image


@cache
def _entries(size: int, start: int) -> dict[int, int]:
    """Return what each entry of a dimension of this size adds, whose lowest bit is `start`."""
    if size > _MOST_ENTRIES:
        return _Entries(size, start)
    return {entry: entry << start for entry in range(size)}


def packed(
    bases: Mapping[str, Iterable[Sequence[int]]], outs: Mapping[str, int] | Sequence[str]
) -> tuple[Ins, Outs]:
    """Return the packed images by in-dimension, and the sizes of the out-dimensions.

    Args: bases: vectors by in-dimension.  outs: sizes by name, or names alone.
    Raises: LayoutError that names the dimension and the value.
    """
    for images in bases.values():
        if type(images) is not list and type(images) is not tuple:
            bases = {name: list(images) for name, images in bases.items()}
            break
    if type(outs) is not dict and not isinstance(outs, Mapping):
        outs = _least(bases, outs)  # type: ignore[arg-type]
    sizes = tuple(outs.items())
    try:
        if type(sum(outs.values())) is not int:  # 2.0 equals 2, and must not pass for it
            return _checked(bases, outs), sizes  # type: ignore[arg-type]
        return _looked_up(bases, _tables(sizes)), sizes  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError):
        return _checked(bases, outs), sizes  # type: ignore[arg-type]


@cache
def starts(outs: Outs) -> tuple[dict[str, int], int]:
    """Return the lowest bit of each out-dimension, and their bits in all."""
    found: dict[str, int] = {}
    at = 0
    for name, size in outs:
        found[name] = at
        at += log2(size, name)
    return found, at


@cache
def _tables(outs: Outs) -> tuple[dict[int, int], ...]:
    """Return for each out-dimension what its entries add."""
    at, _ = starts(outs)
    return tuple(_entries(size, at[name]) for name, size in outs)


def _looked_up(bases: Vectors, tables: Sequence[dict[int, int]]) -> Ins:
    """Return the images; any error where a vector is not as it should be."""
    if len(tables) == 2:
        p, q = tables
        return tuple([(n, tuple([p[a] | q[b] for a, b in vs])) for n, vs in bases.items()])
    if len(tables) == 1:
        (p,) = tables
        return tuple([(n, tuple([p[a] for (a,) in vs])) for n, vs in bases.items()])
    return tuple(
        [
            (n, tuple([sum([t[e] for t, e in zip(tables, v, strict=True)]) for v in vs]))
            for n, vs in bases.items()
        ]
    )


def _least(bases: Vectors, names: Sequence[str]) -> dict[str, int]:
    """Return the least size of each out-dimension that holds all vectors."""
    widths = [0] * len(names)
    for in_dim, images in bases.items():
        for vector in images:
            _vector_checked(in_dim, names, vector)
            widths = [width | int(entry) for width, entry in zip(widths, vector, strict=True)]
    return {n: 1 << max(0, width).bit_length() for n, width in zip(names, widths, strict=True)}


def _checked(bases: Vectors, outs: Mapping[str, int]) -> Ins:
    """Return the images, or say which vector, or which size, is wrong."""
    where, at = [], 0
    for name, size in outs.items():
        where.append((name, size, at))
        at += log2(size, name)
    ins = []
    for in_dim, images in bases.items():
        columns = []
        for vector in images:
            _vector_checked(in_dim, list(outs), vector)
            for entry, (name, size, _) in zip(vector, where, strict=True):
                if not 0 <= entry < size:
                    raise LayoutError(
                        f"a basis vector of {in_dim} must stay below the size {size} of {name}",
                        found=entry,
                    )
            pairs = zip(vector, where, strict=True)
            columns.append(sum(int(entry) << start for entry, (_, _, start) in pairs))
        ins.append((in_dim, tuple(columns)))
    return tuple(ins)


def _vector_checked(in_dim: str, names: Sequence[str], vector: Any) -> None:
    """Check the length of a vector, and that integers of some kind are in it."""
    try:
        entries = [*vector]
        whole = all(entry == int(entry) for entry in entries)
    except (TypeError, ValueError):
        entries, whole = [], False
    if not whole:
        raise LayoutError(f"a basis vector of {in_dim} must hold integers", found=vector)
    if len(entries) != len(names):
        raise LayoutError(
            f"a basis vector of {in_dim} must have {len(names)} entries", found=entries
        )


def copied(bases: object) -> dict[str, Any] | None:
    """Return a copy of a dictionary of vectors that later changes leave alone.

    Returns: None where it holds something else than lists and tuples, which may change unseen.
    """
    if type(bases) is not dict:
        return None
    out: dict[str, Any] = {}
    for name, images in bases.items():
        kinds = {type(images), *map(type, images)}
        if not kinds <= {list, tuple}:
            return None
        if kinds == {tuple}:
            out[name] = images
        else:
            out[name] = type(images)([vector[:] for vector in images])
    return out
