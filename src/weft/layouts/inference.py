"""The encoding of a result, given that of the operand, for operations that only move dimensions.

Each function answers as Triton 3.7.1 does. Whatever the encoding, the answer is found on the linear
layout, where moving dimensions moves bits; where a more telling encoding says the same (the
transpose of a blocked encoding is blocked), that one is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from weft.errors import LayoutError
from weft.layouts.default_encoding import default_blocked
from weft.layouts.encodings import BlockedEncoding, Encoding, LinearEncoding, SliceEncoding
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = [
    "infer_expand_dims",
    "infer_join",
    "infer_reduce",
    "infer_reshape",
    "infer_split",
    "infer_trans",
    "linear_encoding",
]

Shape = Sequence[int]
T = TypeVar("T")


def linear_encoding(layout: LinearLayout) -> LinearEncoding:
    """Return `#ttg.linear` with the vectors of a layout from register, lane, warp and block."""
    bases = layout.bases
    return LinearEncoding(bases["register"], bases["lane"], bases["warp"], bases["block"])


def infer_expand_dims(encoding: Encoding, axis: int) -> Encoding:
    """Return the encoding after a dimension of size 1 is put in at `axis`.

    Raises: LayoutError where the operand is not a slice along that very dimension.
    """
    if not isinstance(encoding, SliceEncoding) or encoding.dim != axis:
        raise LayoutError(
            f"expand_dims along {axis} needs an operand sliced along {axis}",
            found=str(encoding),
            accepted=[f"#ttg.slice<{{dim = {axis}, parent = …}}>"],
        )
    return encoding.parent


def infer_reduce(encoding: Encoding, axis: int) -> SliceEncoding:
    """Return the encoding after the dimension `axis` is reduced to nothing."""
    return SliceEncoding(axis, encoding)


def infer_trans(encoding: Encoding, shape: Shape, order: Sequence[int]) -> Encoding:
    """Return the encoding after the dimensions are permuted: result d is operand order[d].

    Args: shape: of the operand.
    """
    if sorted(order) != list(range(len(shape))):
        raise LayoutError(
            f"the order must be a permutation of 0..{len(shape) - 1}", found=list(order)
        )
    if tuple(order) == tuple(range(len(shape))):
        return encoding
    if isinstance(encoding, BlockedEncoding):
        place = {source: d for d, source in enumerate(order)}
        return BlockedEncoding(
            _picked(encoding.size_per_thread, order),
            _picked(encoding.threads_per_warp, order),
            _picked(encoding.warps_per_cta, order),
            tuple(place[source] for source in encoding.order),
            tuple(_picked(vector, order) for vector in encoding.cga_layout),
        )
    layout = encoding.linear(tuple(shape))
    bases = {
        name: [_picked(vector, order) for vector in vectors]
        for name, vectors in layout.bases.items()
    }
    return LinearEncoding(bases["register"], bases["lane"], bases["warp"], bases["block"])


def _picked(values: Sequence[T], order: Sequence[int]) -> tuple[T, ...]:
    return tuple(values[source] for source in order)


def infer_join(encoding: Encoding, shape: Shape) -> Encoding:
    """Return the encoding after two tensors are laid side by side in a new last dimension.

    Args: shape: of either operand. The two elements stay in the thread, in its lowest register bit.
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
    layout = encoding.linear(tuple(shape))
    pair = (0,) * rank + (1,)
    bases = {name: [(*v, 0) for v in vectors] for name, vectors in layout.bases.items()}
    joined = LinearEncoding(
        (pair, *bases["register"]), bases["lane"], bases["warp"], bases["block"]
    )
    if isinstance(encoding, SliceEncoding) and encoding.dim == rank:
        halves = _halves(encoding.parent.linear((*shape, 2)))
        if halves is not None and halves.linear(tuple(shape)) is layout:
            return encoding.parent
    return joined


def infer_split(encoding: Encoding, shape: Shape) -> Encoding:
    """Return the encoding after the last dimension, of size 2, is taken apart.

    Args: shape: of the operand.
    Raises: LayoutError where the two elements are not in one thread.
    """
    rank = len(shape)
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
            tuple(d for d in encoding.order if d != rank - 1),
            tuple(vector[:-1] for vector in encoding.cga_layout),
        )
    halves = _halves(encoding.linear(tuple(shape)))
    if halves is None:
        raise LayoutError(
            "split needs both elements of the last dimension in one thread", found=str(encoding)
        )
    return halves


def _halves(layout: LinearLayout) -> LinearEncoding | None:
    """Return the layout of either half of the last dimension, None where threads share pairs."""
    bases = layout.bases
    pair = [0] * (len(layout.outs) - 1) + [1]
    if pair not in bases["register"]:
        return None
    at = bases["register"].index(pair)
    bases["register"] = bases["register"][:at] + bases["register"][at + 1 :]
    cut = {name: [vector[:-1] for vector in vectors] for name, vectors in bases.items()}
    return LinearEncoding(cut["register"], cut["lane"], cut["warp"], cut["block"])


def infer_reshape(encoding: Encoding, shape: Shape, result: Shape) -> Encoding:
    """Return the encoding after the elements, in row-major order, are read as another shape.

    Args: shape: of the operand.  result: of the result, with as many elements.
    The answer holds with and without permission to reorder: nothing moves.
    """
    shape, result = tuple(shape), tuple(result)
    if _count(shape) != _count(result):
        raise LayoutError(
            "a reshape must keep the number of elements", found=f"{shape} to {result}"
        )
    if shape == result and isinstance(encoding, BlockedEncoding):
        return encoding
    names = dimension_names(len(shape))
    layout = encoding.linear(shape)
    flat = layout.transpose_outs(names[::-1])
    targets = dimension_names(len(result))
    reshaped = flat.reshape_outs(
        {targets[d]: result[d] for d in reversed(range(len(result)))}
    ).transpose_outs(targets)
    if isinstance(encoding, BlockedEncoding):
        blocked = _reshape_blocked(encoding, shape, result, layout)
        if blocked is not None and blocked.linear(result) is reshaped:
            return blocked
    return linear_encoding(reshaped)


def _count(shape: Sequence[int]) -> int:
    out = 1
    for size in shape:
        out *= size
    return out


def _reshape_blocked(
    encoding: BlockedEncoding, shape: Shape, result: Shape, layout: LinearLayout
) -> BlockedEncoding | None:
    """Return the blocked encoding that may say the same, or None."""
    sizes = layout.in_dims
    lanes, warps, blocks = sizes["lane"], sizes["warp"], sizes["block"]
    if encoding is default_blocked(shape, warps, lanes, blocks):
        return default_blocked(result, warps, lanes, blocks)
    if encoding.cga_layout:
        return None
    place = {source: at for at, source in enumerate(encoding.order)}
    order: list[int] = []
    tiles = [[1] * len(result) for _ in range(3)]
    for sources, targets in _groups(shape, result):
        if any(place[a] != place[b] + 1 for a, b in pairwise(sources)):
            return None
        if any(_tile(encoding, d) > shape[d] for d in sources[1:]):
            return None
        dealt = [
            _count([tile[d] for d in sources])
            for tile in (
                encoding.size_per_thread,
                encoding.threads_per_warp,
                encoding.warps_per_cta,
            )
        ]
        if not targets:
            if _count(dealt) > 1:
                return None
            continue
        _deal(dealt, targets, result, tiles)
    by_source = {d: group for group in _groups(shape, result) for d in group[0]}
    for source in encoding.order:
        order += [d for d in reversed(by_source[source][1]) if d not in order]
    order += [d for d in reversed(range(len(result))) if d not in order]
    return BlockedEncoding(*tiles, order)


def _tile(encoding: BlockedEncoding, dim: int) -> int:
    """Return how many elements of one dimension the block's threads hold in one go."""
    return (
        encoding.size_per_thread[dim] * encoding.threads_per_warp[dim] * encoding.warps_per_cta[dim]
    )


def _deal(dealt: list[int], targets: list[int], result: Shape, tiles: list[list[int]]) -> None:
    """Deal elements, lanes and warps over the target dimensions, the last dimension first."""
    room = {d: result[d] for d in targets}
    for tile, count in zip(tiles, dealt, strict=True):
        for d in reversed(targets):
            taken = min(count, room[d])
            tile[d] *= taken
            room[d] //= taken
            count //= taken
        tile[targets[0]] *= count


def _groups(shape: Shape, result: Shape) -> list[tuple[list[int], list[int]]]:
    """Return the least runs of dimensions of both shapes that hold as many elements.

    A dimension of size 1 belongs to the run before it, or to the first one.
    """
    groups: list[tuple[list[int], list[int]]] = []
    source = target = 0
    while source < len(shape) or target < len(result):
        sources: list[int] = []
        targets: list[int] = []
        have, want = 1, 1
        while source < len(shape) or target < len(result):
            balanced = have == want > 1
            if source < len(shape) and (shape[source] == 1 if balanced else have <= want):
                sources.append(source)
                have *= shape[source]
                source += 1
            elif target < len(result) and (result[target] == 1 or not balanced):
                targets.append(target)
                want *= result[target]
                target += 1
            else:
                break
        groups.append((sources, targets))
    return groups
