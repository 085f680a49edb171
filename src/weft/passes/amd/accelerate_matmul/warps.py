"""How the warps of a block share the tiles of a product.

128 x 256 results in tiles of 32 x 32 for 8 warps: 4 x 8 tiles. Warps double along N while that side
has more tiles left for each warp than half the other one, else along M:

    [1, 1]   M has 4 tiles, half of them 2; N has 8     → N
    [1, 2]   2 against 4                                → N
    [1, 4]   2 against 2                                → M
    [2, 4]   done

The first product of a chain puts all warps along M, so that a row of its result, and with it the
softmax of attention, stays in one warp; the second one follows as far as there are rows.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Shared", "share_warps"]


@dataclass(frozen=True, slots=True)
class Shared:
    """Warps per dimension, the rule that gave them, and the steps to them."""

    warps: tuple[int, ...]
    why: str
    steps: tuple[str, ...] = ()


def share_warps(
    shape: tuple[int, ...], num_warps: int, tile: tuple[int, int], *, head: bool, tail: bool
) -> Shared:
    """Return how warps are dealt to a product's result.

    Args: shape: of the result in one block, 2 or 3 dimensions.  tile: m and n of the instruction.
    head, tail: whether it is the first, or a later product of a chain.
    """
    if len(shape) == 3:
        return Shared((num_warps, 1, 1), "batched: warps share the batch")
    if head:
        return Shared(
            (num_warps, 1), "its result is an operand of another dot: rows stay in a warp"
        )
    if tail:
        rows = min(num_warps, -(-shape[0] // tile[0]))
        why = f"its operand is another dot's result: along M as far as {shape[0]} rows go"
        return Shared((rows, num_warps // rows), why)
    return _balanced(shape, num_warps, tile)


def _balanced(shape: tuple[int, ...], num_warps: int, tile: tuple[int, int]) -> Shared:
    warps, steps = [1, 1], ["[1, 1]"]
    while warps[0] * warps[1] < num_warps:
        half, other = shape[0] // (tile[0] * 2) // warps[0], shape[1] // tile[1] // warps[1]
        rows = half >= other and warps[0] < shape[0] // tile[0]
        warps[0 if rows else 1] *= 2
        steps.append(f"half of M's {half} against N's {other}: {warps}")
    why = "doubled along the side with more tiles left"
    if warps[1] * tile[1] > shape[1]:
        warps.reverse()
        steps.append(f"more than N's {shape[1]} columns: swapped to {warps}")
    return Shared((warps[0], warps[1]), why, tuple(steps))
