"""Take layouts apart: the inverses of the product, and the parts that do nothing.

In a product the first factor owns the low bits. What is divisible shows it in its vectors:

     - register=1 -> (1)                              - register=1 -> (1)
       register=2 -> (2)    divided on the left by    - register=2 -> (2)    is    - lane=1 -> (1)
     - lane=1 -> (4)
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.linear import LinearLayout

__all__ = ["divide_left", "divide_right", "is_trivial_over", "num_consecutive", "quotient"]


def _sizes_left(whole: LinearLayout, factor: LinearLayout) -> tuple[tuple[str, int], ...] | None:
    """Return the out-dimensions of the quotient; None where the factor does not fit in."""
    own = factor.out_dims
    if any(whole.out_dims.get(name, 0) < size for name, size in own.items()):
        return None
    if any(len(whole._images.get(name, ())) < len(images) for name, images in factor.ins):
        return None
    if any(name not in whole._images for name, _ in factor.ins):
        return None
    return tuple((name, size // own.get(name, 1)) for name, size in whole.outs)


def divide_left(whole: LinearLayout, factor: LinearLayout) -> LinearLayout | None:
    """Return q with whole = factor * q, of whole's dimensions; None if there is none."""
    outs = _sizes_left(whole, factor)
    if outs is None:
        return None
    own = factor.out_dims
    kept = []
    for name, images in whole.ins:
        count = len(factor._images.get(name, ()))
        vectors = [whole.unpack(v) for v in images[count:]]
        if any(e % own.get(n, 1) for v in vectors for (n, _), e in zip(outs, v, strict=True)):
            return None
        kept.append(
            [[e // own.get(n, 1) for (n, _), e in zip(outs, v, strict=True)] for v in vectors]
        )
    return _checked(whole, kept, outs, factor, left=True)


def divide_right(whole: LinearLayout, factor: LinearLayout) -> LinearLayout | None:
    """Return q with whole = q * factor, of whole's dimensions; None if there is none."""
    outs = _sizes_left(whole, factor)
    if outs is None:
        return None
    kept = []
    for name, images in whole.ins:
        count = len(images) - len(factor._images.get(name, ()))
        vectors = [whole.unpack(v) for v in images[:count]]
        if any(e >= size for v in vectors for (_, size), e in zip(outs, v, strict=True)):
            return None
        kept.append([list(v) for v in vectors])
    return _checked(whole, kept, outs, factor, left=False)


def _checked(
    whole: LinearLayout,
    kept: Sequence[Sequence[Sequence[int]]],
    outs: tuple[tuple[str, int], ...],
    factor: LinearLayout,
    *,
    left: bool,
) -> LinearLayout | None:
    """Return the quotient if the product with the factor is the whole again."""
    bases = {name: vectors for (name, _), vectors in zip(whole.ins, kept, strict=True)}
    found = LinearLayout.from_bases(bases, dict(outs), surjective=False)
    wide = _aligned(whole, factor)
    return found if (wide * found if left else found * wide) is whole else None


def _aligned(whole: LinearLayout, factor: LinearLayout) -> LinearLayout:
    """Return the factor with whole's dimensions in whole's order."""
    moved = factor.transpose_outs([n for n in whole.starts if n in factor.starts])
    return LinearLayout(
        tuple((name, moved._images.get(name, ())) for name, _ in whole.ins),
        tuple((name, moved.out_dims.get(name, 1)) for name, _ in whole.outs),
    )


def is_trivial_over(layout: LinearLayout, dims: Sequence[str]) -> bool:
    """Return whether `dims` are in- and out-dimensions, map to themselves and to nothing else."""
    for dim in dims:
        if dim not in layout._images or dim not in layout.starts:
            return False
        start, size = layout.starts[dim], layout.out_dims[dim]
        if layout._images[dim] != tuple(1 << (start + b) for b in range(size.bit_length() - 1)):
            return False
    own = sum((layout.out_dims[dim] - 1) << layout.starts[dim] for dim in dims)
    return not any(v & own for name, images in layout.ins if name not in dims for v in images)


def quotient(layout: LinearLayout, dims: Sequence[str]) -> LinearLayout | None:
    """Return the layout without `dims` where it is trivial over them, else None.

    Raises: LayoutError where a name is neither an in- nor an out-dimension.
    """
    for dim in dims:
        if dim not in layout._images and dim not in layout.starts:
            raise LayoutError(
                f"no dimension {dim}",
                found=dim,
                accepted=list(dict.fromkeys([*layout._images, *layout.starts])),
            )
    if not is_trivial_over(layout, dims):
        return None
    return layout.sublayout(
        [name for name, _ in layout.ins if name not in dims],
        [name for name, _ in layout.outs if name not in dims],
    )


def num_consecutive(layout: LinearLayout) -> int:
    """Return how many first inputs map to consecutive first outputs, wherever they start.

    The first vectors must count 1, 2, 4 … in the first out-dimension, and no other vector may
    touch the bits in which they count.
    """
    if not layout.ins or not layout.outs:
        return 1
    images = layout.ins[0][1]
    first = layout.outs[0][1]
    count = 0
    while count < len(images) and images[count] == 1 << count < first:
        count += 1
    others = 0
    for image in (*images[count:], *(v for _, rest in layout.ins[1:] for v in rest)):
        others |= image & (first - 1)
    lowest = (others & -others).bit_length() - 1 if others else count
    return 1 << min(count, lowest)
