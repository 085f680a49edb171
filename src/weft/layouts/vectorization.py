"""Vectorization: how many elements one instruction can move, and the order of registers for it.

A vector access moves registers 0, 1, 2 … to or from offsets o, o + 1, o + 2 … For a layout from
registers and lanes to offsets, this is possible for n elements if the layout has the identity of
size n as a left factor. Registers may be renamed first. For

    register=1 -> 8    register=2 -> 1    register=4 -> 2    lane=1 -> 4

the bits (1, 2, 0) put the bases in the order 1, 2, 8. Bases 1 and 2 are the identity of size 4, and
no other basis touches these two bits of the offset: an access moves 4 elements.
"""

from __future__ import annotations

from weft.layouts.column_action import ColumnAction
from weft.layouts.linear_layout import LinearLayout

__all__ = ["largest_vectorisation", "permutation_for_division"]


def permutation_for_division(
    layout: LinearLayout, factor: LinearLayout, *, left: bool = True, in_dim: str = "register"
) -> ColumnAction | None:
    """Find an order of the registers that makes a layout divisible by a factor.

    Args:
        layout: the layout.
        factor: the factor.
        left: whether to divide on the left, where the factor owns the low bits, or on the right.
        in_dim: the in-dimension to reorder.

    Returns:
        The order, None if there is none.
    """
    images = layout.images(in_dim)
    factor_images = _factor_images(layout, factor, in_dim, left=left)
    if factor_images is None:
        return None
    chosen: list[int] = []  # the bit of each basis of the factor
    for vector in factor_images:
        bit = next((b for b, v in enumerate(images) if v == vector and b not in chosen), None)
        if bit is None:
            return None
        chosen.append(bit)
    # The division checks what the order alone cannot: that no other basis has the factor's bits.
    rest = [bit for bit in range(len(images)) if bit not in chosen]
    action = ColumnAction(tuple(chosen + rest if left else rest + chosen), in_dim, len(images))
    ordered = action.apply(layout)
    quotient = ordered.divide_left(factor) if left else ordered.divide_right(factor)
    return None if quotient is None else action


def _factor_images(
    layout: LinearLayout, factor: LinearLayout, in_dim: str, *, left: bool
) -> list[int] | None:
    """Return the bases of a factor, packed as in the whole; None if the factor is larger."""
    if any(layout.out_dims.get(name, 0) < size for name, size in factor.outs):
        return None
    if in_dim not in factor.in_dims:
        return []
    images: list[int] = []
    for image in factor.images(in_dim):
        # On the left the factor owns the low bits of each dimension, on the right the high ones.
        packed = 0
        for (name, size), entry in zip(factor.outs, factor.unpack(image), strict=True):
            scale = 1 if left else layout.out_dims[name] // size
            packed |= (entry * scale) << layout.out_shifts[name]
        images.append(packed)
    return images


def largest_vectorisation(
    offsets: LinearLayout, bit_width: int, most_bits: int = 128
) -> tuple[int, ColumnAction]:
    """Find the widest access that the registers allow.

    Args:
        offsets: a layout from register (and lane, warp …) to an offset in elements, its first
            out-dimension.
        bit_width: the bits of an element.
        most_bits: the bits of the widest instruction.

    Returns:
        Elements per access, and the order of registers that puts them side by side.
    """
    in_dim, out_dim = offsets.ins[0][0], offsets.outs[0][0]
    elements = max(1, most_bits // bit_width)
    while elements > 1:
        tile = LinearLayout.identity_1d(elements, in_dim, out_dim)
        action = permutation_for_division(offsets, tile, in_dim=in_dim)
        if action is not None:
            return elements, action
        elements //= 2
    bits = len(offsets.images(in_dim))
    return 1, ColumnAction(tuple(range(bits)), in_dim, bits)
