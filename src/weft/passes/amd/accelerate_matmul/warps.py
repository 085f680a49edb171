"""Distribute the warps of a block over the tiles of a dot's result.

A 128 x 256 result in 32 x 32 tiles for 8 warps has 4 x 8 tiles. The number of warps is doubled
along N as long as N has more tiles per warp than half of M's, else along M:

    [1, 1]   M has 4 tiles, half of them 2; N has 8     → N
    [1, 2]   2 against 4                                → N
    [1, 4]   2 against 2                                → M
    [2, 4]   done

The first dot of a chain has all warps along M, so that a row of its result stays in one warp, as
the softmax of attention needs. The second dot has warps along M as far as there are rows.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["WarpDistribution", "distribute_warps"]


class WarpDistribution(Struct, frozen=True):
    """Warps per dimension.

    Attributes:
        warps: warps along each dimension of the result.
        reason: the rule that decided.
        steps: the steps of the rule, for the decision record.
    """

    warps: tuple[int, ...]
    reason: str
    steps: tuple[str, ...] = ()


def distribute_warps(
    shape: tuple[int, ...], num_warps: int, tile: tuple[int, int], *, head: bool, tail: bool
) -> WarpDistribution:
    """Choose the warps per dimension of a dot's result.

    Args:
        shape: shape of the result in one block, of rank 2 or 3.
        num_warps: warps of the block.
        tile: m and n of the instruction.
        head: whether the dot is the first of a chain.
        tail: whether it is a later dot of a chain.
    """
    if len(shape) == 3:
        return WarpDistribution((num_warps, 1, 1), "batched: all warps along the batch dimension")
    if head:
        return WarpDistribution(
            (num_warps, 1), "its result is an operand of another dot: a row stays in one warp"
        )
    if tail:
        rows = min(num_warps, -(-shape[0] // tile[0]))
        reason = f"its operand is another dot's result: along M for {shape[0]} rows"
        return WarpDistribution((rows, num_warps // rows), reason)
    return _balanced(shape, num_warps, tile)


def _balanced(shape: tuple[int, ...], num_warps: int, tile: tuple[int, int]) -> WarpDistribution:
    warps, steps = [1, 1], ["[1, 1]"]
    while warps[0] * warps[1] < num_warps:
        half, other = shape[0] // (tile[0] * 2) // warps[0], shape[1] // tile[1] // warps[1]
        rows = half >= other and warps[0] < shape[0] // tile[0]
        warps[0 if rows else 1] *= 2
        steps.append(f"half of M's {half} against N's {other}: {warps}")
    reason = "doubled along the dimension with more tiles per warp"
    # Warps beyond the columns would compute copies; along M there may be rows left for them.
    if warps[1] * tile[1] > shape[1]:
        warps.reverse()
        steps.append(f"more than N's {shape[1]} columns: swapped to {warps}")
    return WarpDistribution((warps[0], warps[1]), reason, tuple(steps))
