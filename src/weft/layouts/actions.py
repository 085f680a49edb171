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

__all__ = [
    "ColumnAction",
    "additive_strides",
    "largest_vectorisation",
    "permutation_for_division",
    "remove_broadcast",
]

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


def permutation_for_division(
    layout: LinearLayout, factor: LinearLayout, *, left: bool = True, in_dim: str = "register"
) -> ColumnAction | None:
    """Return an order of the registers that makes `layout` divisible by `factor`; None if none is.

    Args: left: whether the factor shall own the low bits, or the high ones.
    """
    images = layout.images(in_dim)
    wanted = _placed(layout, factor, in_dim, left=left)
    if wanted is None or any(vector not in images for vector in wanted):
        return None
    chosen: list[int] = []
    for vector in wanted:
        at = next((b for b, v in enumerate(images) if v == vector and b not in chosen), None)
        if at is None:
            return None
        chosen.append(at)
    rest = [bit for bit in range(len(images)) if bit not in chosen]
    action = ColumnAction(tuple(chosen + rest if left else rest + chosen), in_dim, len(images))
    moved = action.apply(layout)
    divided = moved.divide_left(factor) if left else moved.divide_right(factor)
    return None if divided is None else action


def _placed(
    layout: LinearLayout, factor: LinearLayout, in_dim: str, *, left: bool
) -> list[int] | None:
    """Return the factor's vectors as they stand in the whole, packed as the whole packs."""
    if any(layout.out_dims.get(name, 0) < size for name, size in factor.outs):
        return None
    if in_dim not in factor.in_dims:
        return []
    vectors = []
    for image in factor.images(in_dim):
        packed = 0
        for (name, size), entry in zip(factor.outs, factor.unpack(image), strict=True):
            above = 1 if left else layout.out_dims[name] // size
            packed |= (entry * above) << layout.starts[name]
        vectors.append(packed)
    return vectors


def largest_vectorisation(
    offsets: LinearLayout, bit_width: int, most_bits: int = 128
) -> tuple[int, ColumnAction]:
    """Return the widest access that registers allow, and the order of registers that it needs.

    Args: offsets: from register (and lane, warp …) to an offset in elements, first of its
    out-dimensions.  bit_width: of an element.  most_bits: of the widest instruction.
    Returns: elements per access, and the action that brings its elements side by side.
    """
    in_dim, out_dim = offsets.ins[0][0], offsets.outs[0][0]
    elements = max(1, most_bits // bit_width)
    while elements > 1:
        tile = LinearLayout.identity_1d(elements, in_dim, out_dim)
        action = permutation_for_division(offsets, tile, in_dim=in_dim)
        if action is not None:
            return elements, action
        elements //= 2
    count = len(offsets.images(in_dim))
    return 1, ColumnAction(tuple(range(count)), in_dim, count)


def additive_strides(offsets: LinearLayout, in_dim: str = "register") -> tuple[ColumnAction, int]:
    """Return the order of registers that puts those first whose offset can be added.

    A register's offset is joined to that of its thread by XOR. Where no other in-dimension touches
    the bits of a register's vector, nor another register's, XOR is addition, and the offset can be
    an immediate of the instruction.
    Returns: the action, and how many of the first bits add.
    """
    images = offsets.images(in_dim)
    taken = 0
    for name, others in offsets.ins:
        if name != in_dim:
            for vector in others:
                taken |= vector

    def adds(bit: int) -> bool:
        rest = taken
        for other, vector in enumerate(images):
            if other != bit:
                rest |= vector
        return not images[bit] & rest

    first = [bit for bit in range(len(images)) if adds(bit)]
    rest = [bit for bit in range(len(images)) if bit not in first]
    return ColumnAction(tuple(first + rest), in_dim, len(images)), len(first)
