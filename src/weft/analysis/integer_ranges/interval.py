"""What is known of an integer: between which numbers it lies, read unsigned and read signed.

    Range.signed(32, -1, 5)      unsigned [0, 4294967295]   signed [-1, 5]
    Range.unsigned(32, 3, 9)     unsigned [3, 9]            signed [3, 9]

Both readings are kept because neither follows from the other: the bits of -1 … 5 are the two
ends of the unsigned numbers. A fact in one reading gives the other only where no bound crosses
the sign bit. An `intersection` of facts that contradict each other may be empty; nothing is
made of that here.
"""

from __future__ import annotations

from typing import NamedTuple

from weft.ir import types
from weft.ir.builtin import Attribute

__all__ = ["Range", "to_signed", "to_unsigned", "width_of"]


def to_signed(value: int, width: int) -> int:
    """Read the low bits of a number as two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def to_unsigned(value: int, width: int) -> int:
    """Read the low bits of a number as an unsigned one."""
    return value & ((1 << width) - 1)


def width_of(type_: Attribute) -> int | None:
    """Return the bits of an integer (an index: 64) or of a tensor's integers; None for others."""
    element = types.element(type_)
    if types.is_integer(element):
        return element.width.data
    return 64 if element == types.index else None


class Range(NamedTuple):
    """The numbers that an integer of `width` bits may be: umin … umax and smin … smax."""

    width: int
    umin: int
    umax: int
    smin: int
    smax: int

    @classmethod
    def full(cls, width: int) -> Range:
        """Return the range that says nothing."""
        half = 1 << (width - 1)
        return cls(width, 0, 2 * half - 1, -half, half - 1)

    @classmethod
    def constant(cls, width: int, value: int) -> Range:
        """Return the range of one number, given in either reading."""
        unsigned, signed = to_unsigned(value, width), to_signed(value, width)
        return cls(width, unsigned, unsigned, signed, signed)

    @classmethod
    def unsigned(cls, width: int, low: int, high: int) -> Range:
        """Return what `low ≤ x ≤ high`, read unsigned, says of both readings."""
        half = 1 << (width - 1)
        if (low < half) == (high < half):
            return cls(width, low, high, to_signed(low, width), to_signed(high, width))
        return cls(width, low, high, -half, half - 1)

    @classmethod
    def signed(cls, width: int, low: int, high: int) -> Range:
        """Return what `low ≤ x ≤ high`, read signed, says of both readings."""
        if (low < 0) == (high < 0):
            ends = (to_unsigned(low, width), to_unsigned(high, width))
            return cls(width, min(ends), max(ends), low, high)
        return cls(width, 0, (1 << width) - 1, low, high)

    def union(self, other: Range) -> Range:
        """Return the least range that holds both."""
        return Range(
            self.width,
            min(self.umin, other.umin),
            max(self.umax, other.umax),
            min(self.smin, other.smin),
            max(self.smax, other.smax),
        )

    def intersection(self, other: Range) -> Range:
        """Return what holds if both hold."""
        return Range(
            self.width,
            max(self.umin, other.umin),
            min(self.umax, other.umax),
            max(self.smin, other.smin),
            min(self.smax, other.smax),
        )

    @property
    def value(self) -> int | None:
        """The one number that this can be, read unsigned; None if there are more."""
        if self.umin == self.umax:
            return self.umin
        return to_unsigned(self.smin, self.width) if self.smin == self.smax else None

    def __str__(self) -> str:
        return f"unsigned [{self.umin}, {self.umax}] signed [{self.smin}, {self.smax}]"
