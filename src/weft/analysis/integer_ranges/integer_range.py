"""The lattice of integer ranges: bounds of an integer read as unsigned and as signed.

    IntegerRange.signed(32, -1, 5)      unsigned [0, 4294967295]   signed [-1, 5]
    IntegerRange.unsigned(32, 3, 9)     unsigned [3, 9]            signed [3, 9]

Both readings are kept, because neither follows from the other: the bit patterns of -1 … 5 are at
both ends of the unsigned numbers. Bounds in one reading give bounds in the other only if they have
the same sign bit.

The join is the `union`. The meet is the `intersection`; that of facts which contradict each other
is empty (a lower bound above the upper one), as in code that no execution reaches.
"""

from __future__ import annotations

from typing import NamedTuple

from weft.ir import types
from weft.ir.builtin import Attribute

__all__ = ["IntegerRange", "to_signed", "to_unsigned", "width_of"]


def to_signed(value: int, width: int) -> int:
    """Read the low bits of a number as two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def to_unsigned(value: int, width: int) -> int:
    """Read the low bits of a number as an unsigned one."""
    return value & ((1 << width) - 1)


def width_of(type_: Attribute) -> int | None:
    """Compute the width of an integer, or of a tensor's elements, in bits (64 for an index).

    Returns:
        The width; None for other types.
    """
    element = types.element(type_)
    if types.is_integer(element):
        return element.width.data
    return 64 if element == types.index else None


class IntegerRange(NamedTuple):
    """A lattice element: the numbers that an integer of `width` bits may be.

    Attributes:
        width: The width of the integer in bits.
        umin: The least number, read unsigned.
        umax: The greatest number, read unsigned.
        smin: The least number, read signed.
        smax: The greatest number, read signed.
    """

    width: int
    umin: int
    umax: int
    smin: int
    smax: int

    @classmethod
    def full(cls, width: int) -> IntegerRange:
        """Construct the pessimistic element: all numbers of a width."""
        half = 1 << (width - 1)
        return cls(width, 0, 2 * half - 1, -half, half - 1)

    @classmethod
    def constant(cls, width: int, value: int) -> IntegerRange:
        """Construct the range of one number, in either reading."""
        unsigned, signed = to_unsigned(value, width), to_signed(value, width)
        return cls(width, unsigned, unsigned, signed, signed)

    @classmethod
    def unsigned(cls, width: int, low: int, high: int) -> IntegerRange:
        """Construct the range of the numbers from `low` to `high`, read unsigned."""
        half = 1 << (width - 1)
        if (low < half) == (high < half):
            return cls(width, low, high, to_signed(low, width), to_signed(high, width))
        return cls(width, low, high, -half, half - 1)

    @classmethod
    def signed(cls, width: int, low: int, high: int) -> IntegerRange:
        """Construct the range of the numbers from `low` to `high`, read signed."""
        if (low < 0) == (high < 0):
            ends = (to_unsigned(low, width), to_unsigned(high, width))
            return cls(width, min(ends), max(ends), low, high)
        return cls(width, 0, (1 << width) - 1, low, high)

    def union(self, other: IntegerRange) -> IntegerRange:
        """Compute the join: the least range that contains both."""
        return IntegerRange(
            self.width,
            min(self.umin, other.umin),
            max(self.umax, other.umax),
            min(self.smin, other.smin),
            max(self.smax, other.smax),
        )

    def intersection(self, other: IntegerRange) -> IntegerRange:
        """Compute the meet: what is in both ranges."""
        return IntegerRange(
            self.width,
            max(self.umin, other.umin),
            min(self.umax, other.umax),
            max(self.smin, other.smin),
            min(self.smax, other.smax),
        )

    @property
    def value(self) -> int | None:
        """The only number of the range, read unsigned; None if there are several."""
        if self.umin == self.umax:
            return self.umin
        return to_unsigned(self.smin, self.width) if self.smin == self.smax else None

    def __str__(self) -> str:
        return f"unsigned [{self.umin}, {self.umax}] signed [{self.smin}, {self.smax}]"
