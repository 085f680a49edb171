"""Read a layout's bits in other dimensions: transposes, reshapes, cuts.

With the first out-dimension in the lowest bits of an image, reshaping the outputs changes no image
at all: a (dim0: 4, dim1: 8) image of five bits is as well a (flat: 32) image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.errors import LayoutError
from weft.layouts.bases import same_names
from weft.layouts.basis_vectors import log2
from weft.layouts.linear import LinearLayout

__all__ = [
    "concat_ins",
    "concat_outs",
    "remove_zero_bases",
    "rename_in",
    "rename_out",
    "reshape_ins",
    "reshape_outs",
    "resize_in",
    "resize_out",
    "sublayout",
    "transpose_outs",
    "unsqueeze_in",
    "unsqueeze_out",
]


def transpose_outs(layout: LinearLayout, order: Sequence[str]) -> LinearLayout:
    """Return `layout` with its out-dimensions in this order."""
    sizes = layout.out_dims
    same_names("out", order, sizes)
    return _project(layout, [name for name, _ in layout.ins], order)


def sublayout(layout: LinearLayout, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
    """Return the part of `layout` from `ins` to `outs`; the sizes stay."""
    sizes = layout.out_dims
    for name in outs:
        if name not in sizes:
            raise LayoutError(f"no out-dimension {name}", found=name, accepted=sizes)
    ordered_ins = [name for name, _ in layout.ins if name in ins]
    for name in ins:
        layout.images(name)
    return _project(layout, ordered_ins, [name for name in sizes if name in outs])


def _project(layout: LinearLayout, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
    sizes = layout.out_dims
    moves = []
    at = 0
    for name in outs:
        moves.append((layout.starts[name], sizes[name] - 1, at))
        at += sizes[name].bit_length() - 1

    def moved(image: int) -> int:
        return sum((image >> start & mask) << to for start, mask, to in moves)

    return LinearLayout(
        tuple((name, tuple(moved(v) for v in layout.images(name))) for name in ins),
        tuple((name, sizes[name]) for name in outs),
    )


def reshape_ins(layout: LinearLayout, dims: Mapping[str, int]) -> LinearLayout:
    """Return `layout` with its input bits split anew."""
    widths = {name: log2(size, name) for name, size in dims.items()}
    if sum(widths.values()) != layout.in_bits:
        raise LayoutError(
            f"the new in-dimensions must have {1 << layout.in_bits} values in all",
            found=dict(dims),
        )
    columns = iter(layout.columns)
    ins = tuple((name, tuple(next(columns) for _ in range(w))) for name, w in widths.items())
    return LinearLayout(ins, layout.outs)


def reshape_outs(layout: LinearLayout, dims: Mapping[str, int]) -> LinearLayout:
    """Return `layout` with its output bits split anew."""
    if sum(log2(size, name) for name, size in dims.items()) != layout.out_bits:
        raise LayoutError(
            f"the new out-dimensions must have {1 << layout.out_bits} values in all",
            found=dict(dims),
        )
    return LinearLayout(layout.ins, tuple(dims.items()))


def resize_in(layout: LinearLayout, dim: str, size: int) -> LinearLayout:
    """Return `layout` restricted to the first `size` values of `dim`."""
    keep = log2(size, dim)
    images = layout.images(dim)
    if keep > len(images):
        raise LayoutError(f"{dim} can only shrink: its size is {1 << len(images)}", found=size)
    ins = tuple((n, v[:keep] if n == dim else v) for n, v in layout.ins)
    return LinearLayout(ins, layout.outs)


def resize_out(layout: LinearLayout, dim: str, size: int) -> LinearLayout:
    """Return `layout` with `dim` cut to `size`: an image at or beyond it becomes 0 there."""
    sizes = layout.out_dims
    if dim not in sizes:
        raise LayoutError(f"no out-dimension {dim}", found=dim, accepted=sizes)
    keep, had, start = log2(size, dim), log2(sizes[dim], dim), layout.starts[dim]
    if keep > had:
        raise LayoutError(f"{dim} can only shrink: its size is {sizes[dim]}", found=size)
    low = (1 << start) - 1

    def cut(image: int) -> int:
        entry = image >> start & (sizes[dim] - 1)
        above = image >> (start + had)
        return image & low | (entry if entry < size else 0) << start | above << (start + keep)

    return LinearLayout(
        tuple((name, tuple(cut(v) for v in images)) for name, images in layout.ins),
        tuple((name, size if name == dim else old) for name, old in layout.outs),
    )


def rename_in(layout: LinearLayout, dim: str, name: str) -> LinearLayout:
    """Return `layout` with the in-dimension `dim` called `name`."""
    layout.images(dim)
    if name != dim and name in layout.in_dims:
        raise LayoutError(f"there is an in-dimension {name} already", found=name)
    return LinearLayout(
        tuple((name if n == dim else n, images) for n, images in layout.ins), layout.outs
    )


def rename_out(layout: LinearLayout, dim: str, name: str) -> LinearLayout:
    """Return `layout` with the out-dimension `dim` called `name`."""
    layout.out_size(dim)
    if name != dim and name in layout.starts:
        raise LayoutError(f"there is an out-dimension {name} already", found=name)
    return LinearLayout(
        layout.ins, tuple((name if n == dim else n, size) for n, size in layout.outs)
    )


def concat_ins(first: LinearLayout, second: LinearLayout) -> LinearLayout:
    """Return the layout that has the in-dimensions of both, on the same out-dimensions."""
    for name, _ in second.ins:
        if name in first.in_dims:
            raise LayoutError(f"both layouts have the in-dimension {name}", found=name)
    if first.outs != second.outs:
        raise LayoutError(
            "both layouts must have the same out-dimensions and sizes",
            found=second.out_dims,
            accepted=[f"{name} of {size}" for name, size in first.outs],
        )
    return LinearLayout(first.ins + second.ins, first.outs)


def concat_outs(first: LinearLayout, second: LinearLayout) -> LinearLayout:
    """Return the layout that has the out-dimensions of both, from the same in-dimensions."""
    for name, _ in second.outs:
        if name in first.starts:
            raise LayoutError(f"both layouts have the out-dimension {name}", found=name)
    if list(first.in_dims.items()) != list(second.in_dims.items()):
        raise LayoutError(
            "both layouts must have the same in-dimensions and sizes",
            found=second.in_dims,
            accepted=[f"{name} of {size}" for name, size in first.in_dims.items()],
        )
    shift = first.out_bits
    pairs = zip(first.ins, second.ins, strict=True)
    ins = tuple(
        (name, tuple(low | high << shift for low, high in zip(a, b, strict=True)))
        for (name, a), (_, b) in pairs
    )
    return LinearLayout(ins, first.outs + second.outs)


def unsqueeze_in(layout: LinearLayout, dim: str) -> LinearLayout:
    """Return `layout` without the in-dimension `dim` of size 1."""
    if layout.images(dim):
        raise LayoutError(f"{dim} must have size 1 to go away", found=layout.in_size(dim))
    return LinearLayout(tuple(pair for pair in layout.ins if pair[0] != dim), layout.outs)


def unsqueeze_out(layout: LinearLayout, dim: str) -> LinearLayout:
    """Return `layout` without the out-dimension `dim` of size 1."""
    if layout.out_size(dim) != 1:
        raise LayoutError(f"{dim} must have size 1 to go away", found=layout.out_size(dim))
    return LinearLayout(layout.ins, tuple(pair for pair in layout.outs if pair[0] != dim))


def remove_zero_bases(layout: LinearLayout, in_dim: str) -> LinearLayout:
    """Return `layout` without the bits of `in_dim` whose image is zero."""
    layout.images(in_dim)
    ins = tuple(
        (name, tuple(v for v in images if v) if name == in_dim else images)
        for name, images in layout.ins
    )
    return LinearLayout(ins, layout.outs)
