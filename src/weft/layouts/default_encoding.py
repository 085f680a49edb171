"""The encoding that a tensor gets before any pass knows how it is used.

Lanes and warps are distributed over the dimensions, the fastest one first. A dimension takes as
many threads as it has elements for them; the rest goes to the slowest dimension, where several
threads may then hold one element. For 128x32, 4 warps of 32 lanes and one element per thread:

    dimension 1     32 elements     32 lanes, 1 warp
    dimension 0     128 elements    what remains: 1 lane, 4 warps

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
    """Compute Triton's default encoding of a tensor.

    Args:
        shape: a power of two per dimension.
        num_warps: warps of a CTA, a power of two.
        threads_per_warp: lanes of a warp, a power of two.
        num_ctas: CTAs of a cluster, which share the tensor; a power of two.
        size_per_thread: elements of a thread per dimension; 1 each by default.
        order: the dimensions, fastest first; the last one first by default.

    Raises:
        LayoutError: the shape has no dimension, or a number is not a power of two.
    """
    if not shape:
        raise LayoutError("a tensor of rank 0 has no blocked layout")
    return _default_blocked(
        tuple(shape),
        num_warps,
        threads_per_warp,
        num_ctas,
        None if size_per_thread is None else tuple(size_per_thread),
        None if order is None else tuple(order),
    )


@lru_cache(maxsize=65536)
def _default_blocked(
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
    fastest_first = order if order is not None else tuple(reversed(range(rank)))
    split = _split_over_ctas(shape, sizes, fastest_first, num_ctas)
    per_cta = [size // split[dim] for dim, size in enumerate(shape)]
    lanes, warps = _distribute_threads(per_cta, sizes, fastest_first, num_warps, threads_per_warp)
    cga = _cga_layout(split, fastest_first, num_ctas)
    return BlockedEncoding(sizes, lanes, warps, fastest_first, cga)


def _split_over_ctas(
    shape: Sequence[int], sizes: Sequence[int], order: Sequence[int], num_ctas: int
) -> list[int]:
    """Distribute the CTAs over the dimensions, the slowest dimension first."""
    split = [1] * len(shape)
    remaining = num_ctas
    for dim in reversed(order):
        split[dim] = min(remaining, max(1, shape[dim] // sizes[dim]))
        remaining //= split[dim]
    return split


def _distribute_threads(
    shape: Sequence[int],
    sizes: Sequence[int],
    order: Sequence[int],
    num_warps: int,
    threads_per_warp: int,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lanes and the warps per dimension."""
    lanes, warps = [1] * len(shape), [1] * len(shape)
    remaining_lanes, remaining_warps = threads_per_warp, num_warps
    for dim in order[:-1]:
        threads = min(max(1, shape[dim] // sizes[dim]), remaining_lanes * remaining_warps)
        lanes[dim] = min(threads, remaining_lanes)
        warps[dim] = min(max(1, threads // lanes[dim]), remaining_warps)
        remaining_lanes //= lanes[dim]
        remaining_warps //= warps[dim]
    lanes[order[-1]] = remaining_lanes
    warps[order[-1]] = remaining_warps
    return tuple(lanes), tuple(warps)


def _cga_layout(
    split: Sequence[int], order: Sequence[int], num_ctas: int
) -> tuple[tuple[int, ...], ...]:
    """Return the basis vectors over the CTAs; CTAs in excess hold the same part as others."""
    rank = len(split)
    excess = num_ctas
    for count in split:
        excess //= count
    vectors: list[tuple[int, ...]] = []
    for dim in order:
        for bit in range(split[dim].bit_length() - 1):
            vectors.append(tuple(1 << bit if d == dim else 0 for d in range(rank)))
        if dim == rank - 1:
            vectors += [(0,) * rank] * (excess.bit_length() - 1)
    return tuple(vectors)
