"""Permute and drop the bits of one in-dimension, in a layout and in the values it places alike.

A thread's registers may be renamed at no cost while the code is being made. `ColumnAction` says
how: bit i of the new register index is bit `bits[i]` of the old one. With bits (1, 0) of four
registers, (a, b, c, d) becomes (a, c, b, d); with bits (1,), where bit 0 only repeats others,
(a, a, b, b) becomes (a, b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from weft.errors import LayoutError
from weft.layouts.linear import LinearLayout

__all__ = ["ColumnAction", "remove_broadcast"]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ColumnAction:
    """Choose and order the bits of an in-dimension.

    Fields: bits: for each bit that stays, in the new order, its old place.
    in_dim: the dimension.  in_bits: how many bits it had.
    Raises: LayoutError where a bit is out of range or named twice.
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
        """Return whether every bit stays where it is."""
        return self.bits == tuple(range(self.in_bits))

    def apply(self, layout: LinearLayout) -> LinearLayout:
        """Return the layout with the bits of the in-dimension chosen and ordered."""
        images = layout.images(self.in_dim)
        if len(images) != self.in_bits:
            raise LayoutError(
                f"{self.in_dim} must have {self.in_bits} bits for this action", found=len(images)
            )
        moved = tuple(images[bit] for bit in self.bits)
        ins = tuple((n, moved if n == self.in_dim else v) for n, v in layout.ins)
        return LinearLayout(ins, layout.outs)

    def apply_values(self, values: Sequence[Value]) -> list[Value]:
        """Return the values of the new indices from those of the old."""
        if len(values) != 1 << self.in_bits:
            raise LayoutError(
                f"{self.in_dim} has {1 << self.in_bits} values in this action", found=len(values)
            )
        sources = [0]
        for bit in self.bits:
            sources += [source | 1 << bit for source in sources]
        return [values[source] for source in sources]

    def inverse(self) -> ColumnAction:
        """Return the action that undoes this one.

        Raises: LayoutError where this one drops bits.
        """
        if len(self.bits) != self.in_bits:
            raise LayoutError(
                "an action that drops bits has no inverse",
                found=f"{len(self.bits)} of {self.in_bits} bits of {self.in_dim}",
            )
        back = tuple(self.bits.index(bit) for bit in range(self.in_bits))
        return ColumnAction(back, self.in_dim, self.in_bits)

    def left_compose(self, then: ColumnAction) -> ColumnAction:
        """Return the action that does this one and `then` the other."""
        if then.in_dim != self.in_dim or then.in_bits != len(self.bits):
            raise LayoutError(
                f"the next action must take {len(self.bits)} bits of {self.in_dim}",
                found=f"{then.in_bits} bits of {then.in_dim}",
            )
        return ColumnAction(tuple(self.bits[b] for b in then.bits), self.in_dim, self.in_bits)


def remove_broadcast(layout: LinearLayout, in_dim: str = "register") -> ColumnAction:
    """Return the action that drops the bits which only repeat what lower bits reach."""
    free = layout.free_variable_masks()[in_dim]
    count = len(layout.images(in_dim))
    kept = tuple(bit for bit in range(count) if not free >> bit & 1)
    return ColumnAction(kept, in_dim, count)
