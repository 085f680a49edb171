"""The encoding that a tensor gets before anything is known about it.

Threads are dealt from the fastest dimension on: first the lanes of a warp, then the warps, as many
as the dimension has elements to give them; what is left over goes to the slowest dimension, where
it may hold elements several times. For 128x32 with 4 warps of 32 lanes and one element per thread:

    dimension 1: 32 lanes, 1 warp        dimension 0: what is left, 1 lane, 4 warps
    #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], …}>
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings import BlockedEncoding
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["default_blocked"]


def default_blocked(
    shape: Sequence[int],
    num_warps: int,
    threads_per_warp: int,
    num_ctas: int = 1,
    size_per_thread: Sequence[int] | None = None,
    order: Sequence[int] | None = None,
) -> BlockedEncoding:
    """Return Triton's default encoding for a tensor.

    Args: shape: a power of two per dimension.  num_warps, threads_per_warp, num_ctas: powers of
    two; blocks of a cluster share the tensor.  size_per_thread: one element by default.
    order: the dimensions, fastest first; the last one by default.
    Raises: LayoutError.
    """
    return _default(
        tuple(shape),
        num_warps,
        threads_per_warp,
        num_ctas,
        None if size_per_thread is None else tuple(size_per_thread),
        None if order is None else tuple(order),
    )


@lru_cache(maxsize=65536)
def _default(
    shape: tuple[int, ...],
    num_warps: int,
    threads_per_warp: int,
    num_ctas: int,
    size_per_thread: tuple[int, ...] | None,
    order: tuple[int, ...] | None,
) -> BlockedEncoding:
    rank = len(shape)
    counts = {"num_warps": num_warps, "threads_per_warp": threads_per_warp, "num_ctas": num_ctas}
    for name, count in counts.items():
        if not is_power_of_two(count):
            raise LayoutError(f"{name} must be a power of two", found=count)
    for dim, size in enumerate(shape):
        if not is_power_of_two(size):
            raise LayoutError(
                f"dimension {dim} of the shape must be a power of two",
                found=f"{size} in {'x'.join(map(str, shape))}",
            )
    sizes = size_per_thread if size_per_thread is not None else (1,) * rank
    fastest = order if order is not None else tuple(reversed(range(rank)))
    split = _split(shape, sizes, fastest, num_ctas)
    per_block = [size // split[dim] for dim, size in enumerate(shape)]
    lanes, warps = _deal(per_block, sizes, fastest, num_warps, threads_per_warp)
    return BlockedEncoding(sizes, lanes, warps, fastest, _cga(split, fastest, num_ctas))


def _split(
    shape: Sequence[int], sizes: Sequence[int], order: Sequence[int], num_ctas: int
) -> list[int]:
    """Return how many blocks share each dimension, dealt from the slowest one."""
    split = [1] * len(shape)
    left = num_ctas
    for dim in reversed(order):
        split[dim] = min(left, max(1, shape[dim] // sizes[dim]))
        left //= split[dim]
    return split


def _deal(
    shape: Sequence[int],
    sizes: Sequence[int],
    order: Sequence[int],
    num_warps: int,
    threads_per_warp: int,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lanes and the warps per dimension."""
    lanes, warps = [1] * len(shape), [1] * len(shape)
    lanes_left, warps_left = threads_per_warp, num_warps
    for dim in order[:-1]:
        wanted = max(1, shape[dim] // sizes[dim])
        wanted = min(wanted, lanes_left * warps_left)
        lanes[dim] = min(wanted, lanes_left)
        warps[dim] = min(max(1, wanted // lanes[dim]), warps_left)
        lanes_left //= lanes[dim]
        warps_left //= warps[dim]
    lanes[order[-1]] = lanes_left
    warps[order[-1]] = warps_left
    return tuple(lanes), tuple(warps)


def _cga(split: Sequence[int], order: Sequence[int], num_ctas: int) -> list[list[int]]:
    """Return the basis vectors over the blocks; blocks to spare hold the same part."""
    rank = len(split)
    vectors = []
    spare = num_ctas
    for size in split:
        spare //= size
    for dim in order:
        for bit in range(split[dim].bit_length() - 1):
            vectors.append([1 << bit if d == dim else 0 for d in range(rank)])
        if dim == rank - 1:
            vectors += [[0] * rank] * (spare.bit_length() - 1)
    return vectors
