"""The lattice of axis info: what is known of the numbers in a tensor along each dimension.

    [[10, 11, 12, 13, 18, 19, 20, 21],     along dimension 1 the numbers form runs of 4 that
     [20, 21, 22, 23, 28, 29, 30, 31]]     count up by one; each run starts at a multiple of 2

    AxisInfo(contiguity=(1, 4), divisibility=(1, 2), constancy=(1, 1), constant=None)

Along dimension d a tensor is cut into groups of `contiguity[d]` elements. Inside a group the
numbers count up by one, and `divisibility[d]` divides the first of each. It is also cut into
groups of `constancy[d]` elements in which all numbers are equal. Groups start at multiples of
their length. A scalar counts as a tensor of one dimension of size 1. Pointers count up in
elements, their divisibility is in bytes.

The join of two elements is the greatest common divisor, entry by entry: groups of 4 and groups of
6 are both groups of 2. A shorter group also starts inside of a longer one, which `join` accounts
for in the divisibility:

    16 17 18 19  32 33 34 35 …      runs of 4 that start at multiples of 16
    48 49  64 65 …                  runs of 2 that start at multiples of 16
    both                            runs of 2 that start at multiples of 2: 16 17  18 19  48 49 …
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import gcd

from msgspec import Struct

from weft.ir import types
from weft.ir.builtin import Attribute

__all__ = [
    "UNCONSTRAINED",
    "AxisInfo",
    "constant_info",
    "divisor_of_groups",
    "divisor_of_product",
    "power_of_two_divisor",
    "join",
    "rank_of",
    "unconstrained",
    "unknown",
    "wrap_to_type",
]

UNCONSTRAINED = 1 << 62  # a multiple of every group length and of every divisor that occurs


class AxisInfo(Struct, frozen=True):
    """A lattice element: groups and divisors per dimension, and the constant if there is one.

    Attributes:
        contiguity: Lengths of the runs that count up by one, in elements.
        divisibility: Powers of two that divide the first number of each run; bytes for pointers.
        constancy: Lengths of the groups of equal numbers, in elements.
        constant: The one number of all elements, signed and of the type's width (i1: 0 or 1);
            None if they are not known to be one number.
    """

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None

    @property
    def rank(self) -> int:
        """The number of dimensions; 1 for a scalar."""
        return len(self.contiguity)

    def aligned_elements(self, dim: int, element_bits: int) -> int:
        """Compute how many elements an aligned access to the addresses of a run can have.

        Args:
            dim: The dimension of the run.
            element_bits: The width of an element in memory; less than a byte counts as one.
        """
        return max(1, self.divisibility[dim] // max(1, element_bits // 8))


@lru_cache(maxsize=4096)
def rank_of(type_: Attribute) -> int:
    """Compute the rank of the axis info of a type: 1 for a scalar."""
    if types.is_pointer(type_):
        type_ = type_.pointee
    return len(types.shape(type_)) if types.is_tensor(type_) else 1


@cache
def unknown(rank: int) -> AxisInfo:
    """Construct the pessimistic element, which is true of any tensor."""
    ones = (1,) * rank
    return AxisInfo(ones, ones, ones)


@cache
def unconstrained(rank: int) -> AxisInfo:
    """Construct the identity of `join`, for values that no execution reads."""
    most = (UNCONSTRAINED,) * rank
    return AxisInfo(most, most, most)


def constant_info(value: int, type_: Attribute) -> AxisInfo:
    """Construct the element of a scalar, or of a tensor whose elements are one number."""
    shape = types.shape(type_) or (1,)
    rank = len(shape)
    return AxisInfo((1,) * rank, (power_of_two_divisor(value),) * rank, shape, value)


def power_of_two_divisor(value: int) -> int:
    """Compute the greatest power of two that divides a number; UNCONSTRAINED for 0."""
    return min(value & -value, UNCONSTRAINED) if value else UNCONSTRAINED


def divisor_of_product(a: int, b: int) -> int:
    """Compute a divisor of every product of a multiple of `a` and a multiple of `b`."""
    return min(a * b, UNCONSTRAINED)


def wrap_to_type(value: int, type_: Attribute) -> int:
    """Wrap a number around to the width of a type: signed, i1 as 0 or 1."""
    scalar = types.element(type_)
    width = scalar.width.data if types.is_integer(scalar) else 64
    if width == 1:
        return value & 1
    half = 1 << (width - 1)
    return ((value + half) & ((1 << width) - 1)) - half


def divisor_of_groups(contiguity: int, divisibility: int, group: int) -> int:
    """Compute what divides the first number of each group that runs are cut into.

    A run from 16 on that is cut into groups of 2 starts at 16, 18, 20 …: only 2 divides all.

    Args:
        contiguity: The length of the runs.
        divisibility: What divides the first number of each run.
        group: The length of the groups.
    """
    if contiguity <= group or contiguity == UNCONSTRAINED:
        return divisibility
    return gcd(divisibility, group)


def join(a: AxisInfo, b: AxisInfo) -> AxisInfo:
    """Compute the most precise element that is true wherever `a` or `b` is."""
    if a == b:
        return a
    contiguity = tuple(map(gcd, a.contiguity, b.contiguity))
    divisibility = tuple(
        gcd(divisor_of_groups(run_a, div_a, run), divisor_of_groups(run_b, div_b, run))
        for run, run_a, div_a, run_b, div_b in zip(
            contiguity, a.contiguity, a.divisibility, b.contiguity, b.divisibility, strict=True
        )
    )
    constancy = tuple(map(gcd, a.constancy, b.constancy))
    return AxisInfo(
        contiguity, divisibility, constancy, a.constant if a.constant == b.constant else None
    )
