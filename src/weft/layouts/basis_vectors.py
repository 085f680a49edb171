"""Pack basis vectors into ints, and check them.

Basis vectors are written as lists of coordinates, `{"lane": [[0, 1], [2, 0]]}` over the
out-dimensions dim0 and dim1. A `LinearLayout` keeps each vector as one int with the first
out-dimension in the lowest bits. With sizes 4 and 4, (a, b) is packed as a | b << 2, so that these
two vectors become 4 and 2.

Layouts are built often, so packing looks each entry up in a table of its dimension, which is
{0: 0, 1: 4, 2: 8, 3: 12} for dim1. An entry that is negative, too large or no integer is not in the
table, so the lookup is also the check; only when it fails does a slower walk find out what is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from weft.errors import LayoutError

__all__ = [
    "Bases",
    "Images",
    "InDims",
    "Move",
    "OutDims",
    "Packed",
    "log2",
    "order_of_use",
    "out_shifts",
    "pack",
    "repack",
    "unit_vectors",
]

# What a caller gives: the vectors of each in-dimension, lowest bit first.
Bases = Mapping[str, Iterable[Sequence[int]]]
# What a layout keeps: (name, packed vectors) and (name, size).
InDims = tuple[tuple[str, tuple[int, ...]], ...]
OutDims = tuple[tuple[str, int], ...]
Packed = tuple[InDims, OutDims]
# The packed vectors by in-dimension, in order.
Images = Mapping[str, tuple[int, ...]]
# How to move one dimension's bits to another place in a packed vector: (shift, mask, new shift).
Move = tuple[int, int, int]
_Table = Mapping[int, int]

_LARGEST_FULL_TABLE = 1024


def log2(size: int, what: str) -> int:
    """Return the logarithm of a power of two.

    Args:
        size: the number.
        what: what has this size, for the error message.

    Raises:
        LayoutError: `size` is not a power of two.
    """
    if type(size) is not int or size < 1 or size & (size - 1):
        raise LayoutError(f"the size of {what} must be a power of two", found=size)
    return size.bit_length() - 1


@cache
def unit_vectors(bits: int) -> frozenset[int]:
    """Return 1, 2, 4 … below 2^bits. A layout that has all of these is surjective."""
    return frozenset(1 << bit for bit in range(bits))


@cache
def out_shifts(outs: OutDims) -> tuple[Mapping[str, int], int]:
    """Return the lowest bit of each out-dimension in a packed vector, and the number of bits."""
    shifts: dict[str, int] = {}
    bits = 0
    for name, size in outs:
        shifts[name] = bits
        bits += log2(size, name)
    return MappingProxyType(shifts), bits


def pack(bases: Bases, outs: Mapping[str, int] | Sequence[str]) -> Packed:
    """Pack basis vectors.

    Args:
        bases: the vectors of each in-dimension, one entry per out-dimension.
        outs: sizes of the out-dimensions by name; or their names, which then get the smallest
            sizes that hold all vectors.

    Returns:
        The packed vectors by in-dimension, and the sizes of the out-dimensions.

    Raises:
        LayoutError: a vector has the wrong length or an illegal entry, or a size is no power of
            two; the message names the dimension.
    """
    for vectors in bases.values():
        if type(vectors) is not list and type(vectors) is not tuple:  # it may be an iterator
            bases = {name: list(vectors) for name, vectors in bases.items()}
            break
    # An exact dict is the usual case, and cheaper to recognise than any other mapping.
    if isinstance(outs, dict) or isinstance(outs, Mapping):
        sizes: Mapping[str, int] = outs
    else:
        sizes = _smallest_sizes(bases, outs)
    out_dims = tuple(sizes.items())
    try:
        # 2.0 == 2 would pass the cache of tables, and a sum of ints that has a float is a float.
        if type(sum(sizes.values())) is not int:
            return _pack_checked(bases, sizes), out_dims
        return _pack_by_lookup(bases, _tables(out_dims)), out_dims
    except (KeyError, TypeError, ValueError):
        return _pack_checked(bases, sizes), out_dims


def repack(vectors: Iterable[int], moves: Sequence[Move]) -> tuple[int, ...]:
    """Move the bits of each dimension to their place in another packing.

    Most tensors have one or two dimensions; without the general loop they take half of the time.
    """
    if len(moves) == 1:
        ((start, mask, to),) = moves
        return tuple([(v >> start & mask) << to for v in vectors])
    if len(moves) == 2:
        (start, mask, to), (start2, mask2, to2) = moves
        return tuple([(v >> start & mask) << to | (v >> start2 & mask2) << to2 for v in vectors])
    return tuple([sum([(v >> start & mask) << to for start, mask, to in moves]) for v in vectors])


class _LazyTable(dict[int, int]):
    """The table of a large dimension, filled with the entries that were asked for."""

    def __init__(self, size: int, shift: int) -> None:
        self.size, self.shift = size, shift

    def __missing__(self, entry: int) -> int:
        if not 0 <= entry < self.size:
            raise KeyError(entry)
        self[entry] = packed = int(entry) << self.shift
        return packed


@cache
def _table(size: int, shift: int) -> _Table:
    """Return entry -> packed entry, for a dimension of this size whose lowest bit is `shift`."""
    if size > _LARGEST_FULL_TABLE:
        return _LazyTable(size, shift)
    return {entry: entry << shift for entry in range(size)}


@cache
def _tables(outs: OutDims) -> tuple[_Table, ...]:
    """Return the table of each out-dimension."""
    shifts, _ = out_shifts(outs)
    return tuple(_table(size, shifts[name]) for name, size in outs)


def _pack_by_lookup(bases: Bases, tables: Sequence[_Table]) -> InDims:
    """Pack vectors, and raise any error if one of them is illegal.

    Most tensors have one or two dimensions, for which unpacking a vector into variables is about
    twice as fast as the general loop.
    """
    if len(tables) == 2:
        t0, t1 = tables
        return tuple([(n, tuple([t0[a] | t1[b] for a, b in vs])) for n, vs in bases.items()])
    if len(tables) == 1:
        (t0,) = tables
        return tuple([(n, tuple([t0[a] for (a,) in vs])) for n, vs in bases.items()])
    return tuple(
        [
            (n, tuple([sum([t[e] for t, e in zip(tables, v, strict=True)]) for v in vs]))
            for n, vs in bases.items()
        ]
    )


def _smallest_sizes(bases: Bases, names: Sequence[str]) -> dict[str, int]:
    """Return for each out-dimension the smallest power of two above all entries."""
    union = [0] * len(names)  # of the bits of all entries
    for in_dim, vectors in bases.items():
        for vector in vectors:
            entries = _checked_entries(in_dim, names, vector)
            union = [bits | entry for bits, entry in zip(union, entries, strict=True)]
    return {n: 1 << max(0, bits).bit_length() for n, bits in zip(names, union, strict=True)}


def _pack_checked(bases: Bases, outs: Mapping[str, int]) -> InDims:
    """Pack vectors entry by entry, and report the first mistake."""
    shifts: list[int] = []
    bits = 0
    for name, size in outs.items():
        shifts.append(bits)
        bits += log2(size, name)
    ins: list[tuple[str, tuple[int, ...]]] = []
    for in_dim, vectors in bases.items():
        packed: list[int] = []
        for vector in vectors:
            entries = _checked_entries(in_dim, list(outs), vector)
            for entry, (name, size) in zip(entries, outs.items(), strict=True):
                if not 0 <= entry < size:
                    raise LayoutError(
                        f"a basis vector of {in_dim} must stay below the size {size} of {name}",
                        found=entry,
                    )
            pairs = zip(entries, shifts, strict=True)
            packed.append(sum(entry << shift for entry, shift in pairs))
        ins.append((in_dim, tuple(packed)))
    return tuple(ins)


def _checked_entries(in_dim: str, names: Sequence[str], vector: Sequence[int]) -> list[int]:
    """Return the entries of a vector as ints.

    Raises:
        LayoutError: they are not integers, or not one per out-dimension.
    """
    try:
        entries = [int(entry) for entry in vector]
        integral = entries == [*vector]
    except (OverflowError, TypeError, ValueError):
        entries, integral = [], False
    if not integral:
        raise LayoutError(f"a basis vector of {in_dim} must hold integers", found=vector)
    if len(entries) != len(names):
        raise LayoutError(
            f"a basis vector of {in_dim} must have {len(names)} entries", found=entries
        )
    return entries


def order_of_use(vectors: Iterable[Sequence[int]], rank: int) -> tuple[int, ...]:
    """List the dimensions in the order in which basis vectors first use them.

    Dimensions that no vector uses follow, the last one first. A vector uses the first dimension
    in which it is not 0.
    """
    used = [next(d for d, entry in enumerate(v) if entry) for v in vectors if any(v)]
    return tuple(dict.fromkeys([*used, *reversed(range(rank))]))
