"""How a tensor is shared out over the blocks of a cluster.

#ttg.blocked<{…, CGALayout = [[0, 1]]}>      two blocks: the second holds the odd half of
                                             dimension 1, each of 128x64 holds 128x32
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.default import default_blocked
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)

__all__ = ["blocked_like", "cluster_vectors", "share_of_block"]

Vectors = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=4096)
def cluster_vectors(encoding: Encoding) -> Vectors:
    """Return where the blocks 1, 2, 4 … of a cluster stand, in blocks per dimension.

    Raises: LayoutError: a layout that does not say.
    """
    if isinstance(encoding, SliceEncoding):
        dim = encoding.dim
        return tuple((*v[:dim], *v[dim + 1 :]) for v in cluster_vectors(encoding.parent))
    if isinstance(encoding, DotOperandEncoding):
        inner = encoding.parent.rank - (1 if encoding.op_idx == 0 else 2)
        return tuple(
            tuple(0 if dim == inner else at for dim, at in enumerate(vector))
            for vector in cluster_vectors(encoding.parent)
        )
    if isinstance(
        encoding, BlockedEncoding | NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding
    ):
        return encoding.cga_layout
    if isinstance(encoding, LinearEncoding) and not encoding.block:
        return ()
    raise LayoutError("which block of a cluster holds what is not told", found=str(encoding))


@lru_cache(maxsize=16384)
def share_of_block(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that one block of a cluster holds of a tensor."""
    split = [1] * len(shape)
    for vector in cluster_vectors(encoding):
        for dim, at in enumerate(vector):
            split[dim] = max(split[dim], 2 * at)
    return tuple(max(1, size // parts) for size, parts in zip(shape, split, strict=True))


@lru_cache(maxsize=16384)
def blocked_like(
    encoding: Encoding,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    warps: int,
    lanes: int,
) -> BlockedEncoding:
    """Return the blocked layout with these sizes per thread, over the same blocks as another.

    Args: encoding: the layout whose share of each block stays.  sizes, order: per dimension.
    warps: of a block.  lanes: threads of a warp.
    """
    share = share_of_block(encoding, shape)
    one = default_blocked(share, warps, lanes, 1, sizes, order)
    vectors: Sequence[Sequence[int]] = cluster_vectors(encoding)
    if not vectors:
        return one
    return BlockedEncoding(
        one.size_per_thread, one.threads_per_warp, one.warps_per_cta, one.order, vectors
    )
