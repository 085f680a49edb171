"""Layouts with other dimensions: reordered, reshaped, resized, renamed, joined or left out.

Input bits belong to in-dimensions one by one, so the in-dimensions change by regrouping bases. The
out-dimensions are places in a packed vector: to reorder them moves bits, to split or join them
changes no vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from weft.errors import LayoutError
from weft.layouts.basis_vectors import (
    Images,
    InDims,
    OutDims,
    Packed,
    log2,
    out_shifts,
    repack,
)

__all__ = [
    "check_order",
    "join_ins",
    "join_outs",
    "project",
    "rename",
    "replace",
    "reshape_ins",
    "reshape_outs",
    "shrink_in",
    "shrink_out",
]

T = TypeVar("T")


def check_order(kind: str, order: Sequence[str], dims: Iterable[str]) -> None:
    """Check that an order names each dimension once.

    Args:
        kind: "in" or "out".
        order: The names in order.
        dims: The names of the dimensions.

    Raises:
        LayoutError: It does not.
    """
    if sorted(order) != sorted(dims):
        raise LayoutError(
            f"the order must name each {kind}-dimension once", found=list(order), accepted=dims
        )


def project(
    images: Images, outs: OutDims, in_names: Iterable[str], out_names: Iterable[str]
) -> Packed:
    """Compute the layout with some dimensions, in the given orders.

    Args:
        images: The bases of the layout.
        outs: Its out-dimensions.
        in_names: The in-dimensions to keep.
        out_names: The out-dimensions to keep.
    """
    sizes, (shifts, _) = dict(outs), out_shifts(outs)
    new_outs = tuple([(name, sizes[name]) for name in out_names])
    new_shifts, _ = out_shifts(new_outs)
    moves = [(shifts[name], size - 1, new_shifts[name]) for name, size in new_outs]
    return tuple([(name, repack(images[name], moves)) for name in in_names]), new_outs


def reshape_ins(ins: InDims, dims: Mapping[str, int]) -> InDims:
    """Split the input bits into these dimensions, the first lowest.

    Raises:
        LayoutError: The sizes do not have as many bits as the input.
    """
    widths = {name: log2(size, name) for name, size in dims.items()}
    columns = [vector for _, vectors in ins for vector in vectors]
    if sum(widths.values()) != len(columns):
        raise LayoutError(
            f"the new in-dimensions must have {1 << len(columns)} values in all",
            found=dict(dims),
        )
    rest = iter(columns)
    return tuple([(name, tuple([next(rest) for _ in range(w)])) for name, w in widths.items()])


def reshape_outs(outs: OutDims, dims: Mapping[str, int]) -> OutDims:
    """Split the output bits into these dimensions, the first lowest.

    Raises:
        LayoutError: The sizes do not have as many bits as the output.
    """
    _, bits = out_shifts(outs)
    if sum([log2(size, name) for name, size in dims.items()]) != bits:
        raise LayoutError(
            f"the new out-dimensions must have {1 << bits} values in all", found=dict(dims)
        )
    return tuple(dims.items())


def replace(ins: InDims, in_dim: str, vectors: tuple[int, ...]) -> InDims:
    """Give one in-dimension other bases."""
    return tuple([(name, vectors if name == in_dim else old) for name, old in ins])


def shrink_in(vectors: tuple[int, ...], dim: str, size: int) -> tuple[int, ...]:
    """Keep the bases of the first `size` values of an in-dimension.

    Args:
        vectors: Its bases.
        dim: Its name.
        size: Its new size.

    Raises:
        LayoutError: It is smaller.
    """
    bits = log2(size, dim)
    if bits > len(vectors):
        raise LayoutError(f"{dim} can only shrink: its size is {1 << len(vectors)}", found=size)
    return vectors[:bits]


def shrink_out(ins: InDims, outs: OutDims, dim: str, size: int) -> Packed:
    """Make an out-dimension smaller: bases beyond its end become 0 there.

    Raises:
        LayoutError: It is smaller already.
    """
    bits, old_size, shift = log2(size, dim), dict(outs)[dim], out_shifts(outs)[0][dim]
    if size > old_size:
        raise LayoutError(f"{dim} can only shrink: its size is {old_size}", found=size)
    old_bits = log2(old_size, dim)
    low = (1 << shift) - 1

    def shrink(vector: int) -> int:
        entry = vector >> shift & (old_size - 1)
        above = vector >> (shift + old_bits)
        entry = entry if entry < size else 0
        return vector & low | entry << shift | above << (shift + bits)

    return (
        tuple([(name, tuple(map(shrink, vectors))) for name, vectors in ins]),
        tuple([(name, size if name == dim else other) for name, other in outs]),
    )


def rename(
    kind: str, dims: tuple[tuple[str, T], ...], dim: str, name: str
) -> tuple[tuple[str, T], ...]:
    """Give a dimension another name.

    Args:
        kind: "in" or "out".
        dims: The bases of in-dimensions or the sizes of out-dimensions, by name.
        dim: The dimension.
        name: Its new name.

    Raises:
        LayoutError: There is another dimension of the new name.
    """
    if name != dim and name in dict(dims):
        raise LayoutError(f"there is an {kind}-dimension {name} already", found=name)
    return tuple([(name if each == dim else each, part) for each, part in dims])


def join_ins(ins: InDims, outs: OutDims, other: InDims, other_outs: OutDims) -> InDims:
    """Put the in-dimensions of two layouts on the same out-dimensions together.

    Raises:
        LayoutError: The layouts share an in-dimension, or have different out-dimensions.
    """
    own = dict(ins)
    for name, _ in other:
        if name in own:
            raise LayoutError(f"both layouts have the in-dimension {name}", found=name)
    if outs != other_outs:
        raise LayoutError(
            "both layouts must have the same out-dimensions and sizes",
            found=dict(other_outs),
            accepted=[f"{name} of {size}" for name, size in outs],
        )
    return ins + other


def join_outs(ins: InDims, outs: OutDims, other: InDims, other_outs: OutDims) -> Packed:
    """Put the out-dimensions of two layouts from the same in-dimensions together.

    Raises:
        LayoutError: The layouts share an out-dimension, or have different in-dimensions.
    """
    shifts, bits = out_shifts(outs)
    for name, _ in other_outs:
        if name in shifts:
            raise LayoutError(f"both layouts have the out-dimension {name}", found=name)
    sizes, other_sizes = ([(name, 1 << len(v)) for name, v in each] for each in (ins, other))
    if sizes != other_sizes:
        raise LayoutError(
            "both layouts must have the same in-dimensions and sizes",
            found=dict(other_sizes),
            accepted=[f"{name} of {size}" for name, size in sizes],
        )
    joined = tuple(
        [
            (name, tuple([low | high << bits for low, high in zip(lows, highs, strict=True)]))
            for (name, lows), (_, highs) in zip(ins, other, strict=True)
        ]
    )
    return joined, outs + other_outs
