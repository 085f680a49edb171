"""How many elements one instruction can move, and the order of registers that allows it."""

from __future__ import annotations

from weft.layouts.column_action import ColumnAction
from weft.layouts.linear import LinearLayout

__all__ = ["additive_strides", "largest_vectorisation", "permutation_for_division"]


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
