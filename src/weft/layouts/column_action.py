"""Reorder and drop the bits of an in-dimension, in a layout and in the values it places.

Renaming the registers of a thread costs nothing, as a compiler chooses their names. A
`ColumnAction` is such a renaming that moves bits of the register number: bit i of the new number is
bit `bits[i]` of the old one. It permutes columns of the layout's matrix, hence its name, which is
Triton's. For four registers with the values (a, b, c, d):

    bits (1, 0)     new register 1 is old register 2    (a, c, b, d)
    bits (1,)       old bit 0 is dropped                (a, c)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

from weft.errors import LayoutError
from weft.layouts.linear_layout import LinearLayout

__all__ = ["ColumnAction", "remove_broadcast"]

Value = TypeVar("Value")


class ColumnAction(Struct, frozen=True):
    """A choice and order of the bits of an in-dimension.

    Attributes:
        bits: for each bit of the new number, the bit of the old one.
        in_dim: the in-dimension.
        in_bits: the number of bits of the old number.

    Raises:
        LayoutError: a bit is out of range or named twice.
    """

    bits: tuple[int, ...]
    in_dim: str = "register"
    in_bits: int = 0

    def __post_init__(self) -> None:
        for bit in self.bits:
            if not 0 <= bit < self.in_bits:
                raise LayoutError(f"{self.in_dim} has {self.in_bits} bits", found=bit)
        if len(set(self.bits)) != len(self.bits):
            raise LayoutError(
                f"an action must name each bit of {self.in_dim} at most once",
                found=list(self.bits),
            )

    @property
    def is_identity(self) -> bool:
        """Whether every bit stays in its place."""
        return self.bits == tuple(range(self.in_bits))

    def apply(self, layout: LinearLayout) -> LinearLayout:
        """Compute the layout with its bits reordered and dropped."""
        images = layout.images(self.in_dim)
        if len(images) != self.in_bits:
            raise LayoutError(
                f"{self.in_dim} must have {self.in_bits} bits for this action", found=len(images)
            )
        chosen = tuple(images[bit] for bit in self.bits)
        ins = tuple((n, chosen if n == self.in_dim else v) for n, v in layout.ins)
        return LinearLayout(ins, layout.outs)

    def apply_values(self, values: Sequence[Value]) -> list[Value]:
        """Return the values by new number.

        Args:
            values: one per old number.
        """
        if len(values) != 1 << self.in_bits:
            raise LayoutError(
                f"{self.in_dim} has {1 << self.in_bits} values in this action", found=len(values)
            )
        # Each bit of the new number doubles the list: its upper half has the old bit set.
        old_numbers = [0]
        for bit in self.bits:
            old_numbers += [number | 1 << bit for number in old_numbers]
        return [values[number] for number in old_numbers]

    def inverse(self) -> ColumnAction:
        """Compute the action that undoes this one.

        Raises:
            LayoutError: this action drops bits.
        """
        if len(self.bits) != self.in_bits:
            raise LayoutError(
                "an action that drops bits has no inverse",
                found=f"{len(self.bits)} of {self.in_bits} bits of {self.in_dim}",
            )
        back = tuple(self.bits.index(bit) for bit in range(self.in_bits))
        return ColumnAction(back, self.in_dim, self.in_bits)

    def left_compose(self, then: ColumnAction) -> ColumnAction:
        """Compute the action that does this one first and `then` afterwards."""
        if then.in_dim != self.in_dim or then.in_bits != len(self.bits):
            raise LayoutError(
                f"the next action must take {len(self.bits)} bits of {self.in_dim}",
                found=f"{then.in_bits} bits of {then.in_dim}",
            )
        return ColumnAction(tuple(self.bits[b] for b in then.bits), self.in_dim, self.in_bits)


def remove_broadcast(layout: LinearLayout, in_dim: str = "register") -> ColumnAction:
    """Compute the action that drops the bits which only repeat what lower bits reach."""
    # A free variable adds no element: its basis is 0 or a sum of lower ones.
    free = layout.free_variable_masks()[in_dim]
    count = len(layout.images(in_dim))
    return ColumnAction(tuple(bit for bit in range(count) if not free >> bit & 1), in_dim, count)
