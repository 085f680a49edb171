"""Infer the encoding of a result from that of the operand, for operations that reshape tensors.

Such an operation moves no data: it only renames elements. On the linear layout, it renames output
bits, so that the result always has a layout. If a more specific encoding has the same layout (the
transpose of a blocked encoding is blocked), that one is returned, in the cases in which Triton
3.7.1 does so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

from weft.errors import LayoutError
from weft.layouts.default_encoding import default_blocked
from weft.layouts.encodings import BlockedEncoding, Encoding, LinearEncoding, SliceEncoding
from weft.layouts.layout_transforms import reshape_row_major
from weft.layouts.linear_layout import LinearLayout

__all__ = [
    "infer_expand_dims",
    "infer_join",
    "infer_reduce",
    "infer_reshape",
    "infer_split",
    "infer_trans",
    "linear_encoding",
    "linear_encoding_of",
]

Shape = Sequence[int]
Vector = tuple[int, ...]
T = TypeVar("T")


def linear_encoding(layout: LinearLayout) -> LinearEncoding:
    """Return `#ttg.linear` with the bases of a layout from register, lane, warp and block."""
    return linear_encoding_of(layout, lambda vector: vector)


def linear_encoding_of(
    layout: LinearLayout, change: Callable[[Vector], Vector], registers: Sequence[Vector] = ()
) -> LinearEncoding:
    """Return `#ttg.linear` with changed bases.

    Args:
        layout: a layout from register, lane, warp and block.
        change: applied to each basis vector.
        registers: basis vectors of the result that go before those of the layout's registers.
    """
    bases = {name: tuple(change(layout.unpack(v)) for v in images) for name, images in layout.ins}
    register = (*registers, *bases["register"])
    return LinearEncoding(register, bases["lane"], bases["warp"], bases["block"])


def infer_expand_dims(encoding: Encoding, axis: int) -> Encoding:
    """Compute the encoding after a dimension of size 1 is inserted at `axis`.

    Raises:
        LayoutError: the operand is not a slice along that dimension.
    """
    if not isinstance(encoding, SliceEncoding) or encoding.dim != axis:
        raise LayoutError(
            f"expand_dims along {axis} needs an operand sliced along {axis}",
            found=str(encoding),
            accepted=[f"#ttg.slice<{{dim = {axis}, parent = …}}>"],
        )
    return encoding.parent


def infer_reduce(encoding: Encoding, axis: int) -> SliceEncoding:
    """Compute the encoding after the dimension `axis` is reduced."""
    return SliceEncoding(axis, encoding)


def infer_trans(encoding: Encoding, shape: Shape, order: Sequence[int]) -> Encoding:
    """Compute the encoding after the dimensions are permuted.

    Args:
        encoding: the encoding of the operand.
        shape: the shape of the operand.
        order: dimension d of the result is dimension order[d] of the operand.
    """
    if sorted(order) != list(range(len(shape))):
        raise LayoutError(
            f"the order must be a permutation of 0..{len(shape) - 1}", found=list(order)
        )
    if tuple(order) == tuple(range(len(shape))):
        return encoding
    if isinstance(encoding, BlockedEncoding):
        result_dim = {source: d for d, source in enumerate(order)}
        return BlockedEncoding(
            _permute(encoding.size_per_thread, order),
            _permute(encoding.threads_per_warp, order),
            _permute(encoding.warps_per_cta, order),
            tuple(result_dim[source] for source in encoding.order),
            tuple(_permute(vector, order) for vector in encoding.cga_layout),
        )
    return linear_encoding_of(encoding.linear(shape), lambda vector: _permute(vector, order))


def _permute(values: Sequence[T], order: Sequence[int]) -> tuple[T, ...]:
    return tuple(values[source] for source in order)


def infer_join(encoding: Encoding, shape: Shape) -> Encoding:
    """Compute the encoding after two tensors are joined along a new last dimension.

    A thread holds both elements, in the lowest bit of the register number.

    Args:
        encoding: the encoding of either operand.
        shape: the shape of either operand.
    """
    rank = len(shape)
    if isinstance(encoding, BlockedEncoding):
        return BlockedEncoding(
            (*encoding.size_per_thread, 2),
            (*encoding.threads_per_warp, 1),
            (*encoding.warps_per_cta, 1),
            (rank, *encoding.order),
            tuple((*vector, 0) for vector in encoding.cga_layout),
        )
    layout = encoding.linear(shape)
    # The inverse of split: if the parent of a slice splits into this layout, it is the result.
    if isinstance(encoding, SliceEncoding) and encoding.dim == rank:
        half = _half(encoding.parent.linear((*shape, 2)))
        if half is not None and half.linear(shape) is layout:
            return encoding.parent
    pair = (0,) * rank + (1,)
    return linear_encoding_of(layout, lambda vector: (*vector, 0), [pair])


def infer_split(encoding: Encoding, shape: Shape) -> Encoding:
    """Compute the encoding after the last dimension, of size 2, is split.

    Args:
        encoding: the encoding of the operand.
        shape: the shape of the operand.

    Raises:
        LayoutError: the two elements are not in one thread.
    """
    last = len(shape) - 1
    if shape[-1] != 2:
        raise LayoutError("split needs a last dimension of size 2", found=shape[-1])
    if (
        isinstance(encoding, BlockedEncoding)
        and encoding.size_per_thread[-1] == 2
        and encoding.threads_per_warp[-1] == 1
        and encoding.warps_per_cta[-1] == 1
        and not any(vector[-1] for vector in encoding.cga_layout)
    ):
        return BlockedEncoding(
            encoding.size_per_thread[:-1],
            encoding.threads_per_warp[:-1],
            encoding.warps_per_cta[:-1],
            tuple(d for d in encoding.order if d != last),
            tuple(vector[:-1] for vector in encoding.cga_layout),
        )
    half = _half(encoding.linear(shape))
    if half is None:
        raise LayoutError(
            "split needs both elements of the last dimension in one thread", found=str(encoding)
        )
    return half


def _half(layout: LinearLayout) -> LinearEncoding | None:
    """Compute the layout of either half of the last dimension, None if threads share pairs."""
    pair = 1 << layout.out_shifts[layout.outs[-1][0]]
    registers = layout.images("register")
    if pair not in registers:
        return None
    index = registers.index(pair)
    rest = (*registers[:index], *registers[index + 1 :])
    ins = tuple((name, rest if name == "register" else images) for name, images in layout.ins)
    return linear_encoding_of(LinearLayout(ins, layout.outs), lambda vector: vector[:-1])


def infer_reshape(encoding: Encoding, shape: Shape, result: Shape) -> Encoding:
    """Compute the encoding after the elements, in row-major order, become another shape.

    The result is the same with and without permission to reorder elements, as nothing moves.

    Args:
        encoding: the encoding of the operand.
        shape: the shape of the operand.
        result: the shape of the result, with as many elements.
    """
    shape, result = tuple(shape), tuple(result)
    if math.prod(shape) != math.prod(result):
        raise LayoutError(
            "a reshape must keep the number of elements", found=f"{shape} to {result}"
        )
    if shape == result and isinstance(encoding, BlockedEncoding):
        return encoding
    layout = encoding.linear(shape)
    reshaped = reshape_row_major(layout, result)
    if isinstance(encoding, BlockedEncoding):
        blocked = _reshape_blocked(encoding, shape, result, layout)
        if blocked is not None and blocked.linear(result) is reshaped:
            return blocked
    return linear_encoding(reshaped)


def _reshape_blocked(
    encoding: BlockedEncoding, shape: Shape, result: Shape, layout: LinearLayout
) -> BlockedEncoding | None:
    """Return the blocked encoding that may have the reshaped layout; the caller checks it.

    Dimensions are grouped so that each group of the operand has as many elements as one of the
    result: 4x8x16 to 32x4x4 has the groups 4x8 -> 32 and 16 -> 4x4. Within a group, registers,
    lanes and warps of the operand are distributed over the dimensions of the result.
    """
    sizes = layout.in_dims
    lanes, warps, ctas = sizes["lane"], sizes["warp"], sizes["block"]
    if encoding is default_blocked(shape, warps, lanes, ctas):
        return default_blocked(result, warps, lanes, ctas)
    if encoding.cga_layout:
        return None
    groups = _dimension_groups(shape, result)
    position = {dim: index for index, dim in enumerate(encoding.order)}
    tiles = [[1] * len(result) for _ in range(3)]  # of registers, lanes and warps
    for sources, targets in groups:
        # The dimensions of a group must follow each other in the order, so that the group is
        # filled row by row; and only its first may be larger than the tensor, which wraps there.
        if any(position[a] != position[b] + 1 for a, b in pairwise(sources)):
            return None
        if any(_tile_size(encoding, d) > shape[d] for d in sources[1:]):
            return None
        counts = [
            math.prod(tile[d] for d in sources)
            for tile in (
                encoding.size_per_thread,
                encoding.threads_per_warp,
                encoding.warps_per_cta,
            )
        ]
        if targets:
            _distribute(counts, targets, result, tiles)
        elif math.prod(counts) > 1:
            return None
    targets_of = {dim: targets for sources, targets in groups for dim in sources}
    order: list[int] = []
    for source in encoding.order:
        order += [d for d in reversed(targets_of[source]) if d not in order]
    order += [d for d in reversed(range(len(result))) if d not in order]
    registers, lanes, warps = (tuple(tile) for tile in tiles)
    return BlockedEncoding(registers, lanes, warps, tuple(order))


def _tile_size(encoding: BlockedEncoding, dim: int) -> int:
    """Return the elements along a dimension that the threads of a CTA hold without repetition."""
    return (
        encoding.size_per_thread[dim] * encoding.threads_per_warp[dim] * encoding.warps_per_cta[dim]
    )


def _distribute(
    counts: Sequence[int], targets: Sequence[int], result: Shape, tiles: Sequence[list[int]]
) -> None:
    """Distribute registers, lanes and warps over the target dimensions, the last one first.

    What exceeds their sizes goes to the first target dimension.

    Args:
        counts: registers, lanes and warps.
        targets: dimensions of the result.
        result: the shape of the result.
        tiles: registers, lanes and warps per dimension of the result, which are changed.
    """
    capacity = {d: result[d] for d in targets}
    for tile, count in zip(tiles, counts, strict=True):
        for d in reversed(targets):
            share = min(count, capacity[d])
            tile[d] *= share
            capacity[d] //= share
            count //= share
        tile[targets[0]] *= count


def _dimension_groups(shape: Shape, result: Shape) -> list[tuple[list[int], list[int]]]:
    """Split both shapes into the shortest runs of dimensions with as many elements.

    A dimension of size 1 belongs to the run before it, or to the first one.
    """
    groups: list[tuple[list[int], list[int]]] = []
    source = target = 0
    while source < len(shape) or target < len(result):
        sources: list[int] = []
        targets: list[int] = []
        source_size, target_size = 1, 1
        while source < len(shape) or target < len(result):
            is_balanced = source_size == target_size > 1
            if source < len(shape) and (
                shape[source] == 1 if is_balanced else source_size <= target_size
            ):
                sources.append(source)
                source_size *= shape[source]
                source += 1
            elif target < len(result) and (result[target] == 1 or not is_balanced):
                targets.append(target)
                target_size *= result[target]
                target += 1
            else:
                break
        groups.append((sources, targets))
    return groups
