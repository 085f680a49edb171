"""Checks that several encodings share; each raises a LayoutError with the field and its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.layouts import gf2
from weft.layouts.encodings.base import Encoding, is_power_of_two

__all__ = [
    "cga",
    "covers",
    "is_power_of_two",
    "one_of",
    "permutation",
    "positive",
    "power_of_two",
    "powers_of_two",
    "same_length",
    "vector_lengths",
]

_Bases = Sequence[Sequence[int]]


def powers_of_two(owner: Encoding, key: str, values: Sequence[int]) -> None:
    """Check that every value is a power of two."""
    for value in values:
        if not is_power_of_two(value):
            raise owner.error(f"{key} must hold powers of two", found=f"{value} in {list(values)}")


def power_of_two(owner: Encoding, key: str, value: int) -> None:
    """Check that a single value is a power of two."""
    if not is_power_of_two(value):
        raise owner.error(f"{key} must be a power of two", found=value)


def positive(owner: Encoding, key: str, value: int) -> None:
    """Check that a count is at least one."""
    if value < 1:
        raise owner.error(f"{key} must be at least 1", found=value)


def one_of(owner: Encoding, key: str, value: object, accepted: Sequence[object]) -> None:
    """Check that a value is among the accepted ones."""
    if value not in accepted:
        raise owner.error(f"{key} is {value}", found=value, accepted=accepted)


def permutation(owner: Encoding, key: str, values: Sequence[int]) -> None:
    """Check that the values are 0 … n-1 in some order."""
    if sorted(values) != list(range(len(values))):
        raise owner.error(
            f"{key} must be a permutation of 0..(rank-1), but was {list(values)}",
            found=list(values),
        )


def same_length(owner: Encoding, fields: Mapping[str, Sequence[object]]) -> None:
    """Check that lists with one entry per dimension have one length, not zero."""
    lengths = {len(values) for values in fields.values()}
    if len(lengths) != 1 or lengths == {0}:
        raise owner.error(
            f"{', '.join(fields)} must have the same length, at least 1",
            found=", ".join(f"{key} of {len(values)}" for key, values in fields.items()),
        )


def vector_lengths(owner: Encoding, key: str, vectors: _Bases, rank: int) -> None:
    """Check that each basis vector has one entry per dimension, none of them negative."""
    for vector in vectors:
        if len(vector) != rank:
            raise owner.error(f"{key} must hold vectors of {rank} entries", found=list(vector))
        if min(vector, default=0) < 0:
            raise owner.error(f"{key} must not hold negative entries", found=list(vector))


def covers(owner: Encoding, groups: Mapping[str, _Bases], rank: int) -> None:
    """Check that the vectors are surjective on the tile up to the largest coordinates.

    For instance, [[0, 1], [1, 0]] reaches all of 2x2; [[0, 2], [1, 0]] leaves half of 2x4 out.
    """
    for key, vectors in groups.items():
        vector_lengths(owner, key, vectors, rank)
    every = [vector for vectors in groups.values() for vector in vectors]
    widths = [max((v[d].bit_length() for v in every), default=0) for d in range(rank)]
    shifts = [sum(widths[:d]) for d in range(rank)]
    packed = [sum(v[d] << shifts[d] for d in range(rank)) for v in every]
    if gf2.rank(packed) != sum(widths):
        raise owner.error(
            f"{' and '.join(groups)} must reach every element of the tensor; "
            f"a {'x'.join(str(1 << w) for w in widths)} tile is not covered",
            found="; ".join(f"{k} = {[list(v) for v in vs]}" for k, vs in groups.items()),
        )


def cga(owner: Encoding, vectors: _Bases, rank: int) -> None:
    """Check the basis vectors that distribute a tensor over the CTAs of a cluster."""
    covers(owner, {"CGALayout": vectors}, rank)
