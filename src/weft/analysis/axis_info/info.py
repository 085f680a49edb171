"""What is known of the numbers in a tensor along each of its dimensions.

    [[10, 11, 12, 13, 18, 19, 20, 21],     along dimension 1 the numbers come in runs of 4 that
     [20, 21, 22, 23, 28, 29, 30, 31]]     count up, and each run starts at a multiple of 2

    AxisInfo(contiguity=(1, 4), divisibility=(1, 2), constancy=(1, 1), constant=None)

Along dimension d a tensor is cut into groups of `contiguity[d]`: inside a group numbers count up
by one, and `divisibility[d]` divides the first of each. It is also cut into groups of
`constancy[d]` in which all numbers are equal. Groups start at multiples of their length. A scalar
counts as a tensor of one dimension of size 1. Pointers count up in elements and are divided in
bytes.

What is known of two paths together is the greatest common divisor of what is known of each:
`join`. `UNRESOLVED` is more than anything that is known of a value: what nothing ever reads has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import gcd

from weft.ir import types
from weft.ir.builtin import Attribute, IntegerType

__all__ = [
    "UNRESOLVED",
    "AxisInfo",
    "divides_group",
    "divisor",
    "join",
    "multiplied",
    "one_number",
    "rank_of",
    "unknown",
    "unresolved",
    "wrapped",
]

UNRESOLVED = 1 << 62


@dataclass(frozen=True, slots=True)
class AxisInfo:
    """Runs, divisors and repetitions per dimension, and the one number that it is if it is one.

    contiguity, constancy: lengths of groups, in elements.  divisibility: a power of two; bytes for
    pointers.  constant: signed, of the type's width; i1 is 0 or 1.
    """

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None

    @property
    def rank(self) -> int:
        """Return the number of dimensions; 1 for a scalar."""
        return len(self.contiguity)


@lru_cache(maxsize=4096)
def rank_of(type_: Attribute) -> int:
    """Return the dimensions that are told about a value of this type: 1 for a scalar."""
    if types.is_pointer(type_):
        type_ = type_.pointee
    return len(types.shape(type_)) if types.is_tensor(type_) else 1


@cache
def unknown(rank: int) -> AxisInfo:
    """Return what is true of anything."""
    ones = (1,) * rank
    return AxisInfo(ones, ones, ones)


@cache
def unresolved(rank: int) -> AxisInfo:
    """Return what may be said of a value that nothing reads: whatever it is joined with stays."""
    most = (UNRESOLVED,) * rank
    return AxisInfo(most, most, most)


def divisor(value: int) -> int:
    """Return the greatest power of two that divides a number; of 0 the greatest there is."""
    return min(value & -value, UNRESOLVED) if value else UNRESOLVED


def one_number(value: int, type_: Attribute) -> AxisInfo:
    """Return what is known of a scalar, or a tensor, that is one number everywhere."""
    shape = types.shape(type_) or (1,)
    rank = len(shape)
    return AxisInfo((1,) * rank, (divisor(value),) * rank, shape, value)


def multiplied(a: int, b: int) -> int:
    """Return a divisor of the product of multiples of a and b."""
    return min(a * b, UNRESOLVED)


def wrapped(value: int, type_: Attribute) -> int:
    """Return a number as the type holds it: signed, i1 as 0 or 1."""
    scalar = types.element(type_)
    width = scalar.width.data if isinstance(scalar, IntegerType) else 64
    if width == 1:
        return value & 1
    half = 1 << (width - 1)
    return ((value + half) & ((1 << width) - 1)) - half


def divides_group(contiguity: int, divisibility: int, group: int) -> int:
    """Return what divides the first of each `group` numbers, cut from runs of `contiguity`.

    A run from 16 on, cut in twos, starts at 16, 18, 20: only 2 divides them all. Of a run that
    nothing reads, nothing is lost.
    """
    if contiguity <= group or contiguity == UNRESOLVED:
        return divisibility
    return gcd(divisibility, group)


def join(a: AxisInfo, b: AxisInfo) -> AxisInfo:
    """Return what is true of both."""
    if a == b:
        return a
    contiguity = tuple(map(gcd, a.contiguity, b.contiguity))
    divisibility = tuple(
        gcd(divides_group(ca, da, c), divides_group(cb, db, c))
        for c, ca, da, cb, db in zip(
            contiguity, a.contiguity, a.divisibility, b.contiguity, b.divisibility, strict=True
        )
    )
    constancy = tuple(map(gcd, a.constancy, b.constancy))
    return AxisInfo(
        contiguity, divisibility, constancy, a.constant if a.constant == b.constant else None
    )
