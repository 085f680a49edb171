"""Choose by how many lane bits a reduction halves its rows, instead of by butterflies.

By hand, four rows of which each of 4 lanes holds a partial: butterflies take two shuffles per row,
eight in all. A lane that keeps half of its rows and sends the others takes two shuffles, then one.
If all lanes need all rows, one shuffle per row broadcasts them.
"""

from __future__ import annotations

__all__ = ["choose_halving_steps", "is_cheaper_by_butterflies"]

_SHUFFLE = 2  # selects per shuffle: 64 and 32 per cycle (CUDA C++ programming guide)
# Selects that a warp could execute while it waits for the broadcast of rows. It decides if lanes
# have few rows: measured on attention's four rows of four lanes, which a whole tile depends on.
_WAIT = 12


def choose_halving_steps(
    rows: int, steps: int, parts: int, words: int, instructions: int, *, waited_for: bool
) -> int:
    """Choose the number of halving steps that costs least; 0 if butterflies cost no more.

    Args:
        rows: Rows of each lane.
        steps: log2 of the lanes along the axis.
        parts: Warps along the axis, whose partials are combined afterwards.
        words: Words of 32 bits of the values of a row; a smaller value takes one.
        instructions: Instructions that combine two values.
        waited_for: Whether the next operation depends on the rows.
    """

    def work(folded: int) -> int:
        cost, remaining = 0, rows
        for _ in range(folded):
            remaining //= 2
            cost += remaining * (2 * words + _SHUFFLE * words + instructions)
        cost += remaining * (steps - folded) * (_SHUFFLE * words + instructions)
        cost += remaining * (parts - 1) * instructions
        if folded:
            cost += rows * _SHUFFLE * words + (_WAIT if waited_for else 0)
        return cost

    return min(range(min(steps, rows.bit_length() - 1) + 1), key=work)


def is_cheaper_by_butterflies(parts: int, words: int, instructions: int) -> bool:
    """Check whether lanes should combine the partials of warps, rather than every thread all.

    A sum of 16 partials is 15 additions, which cost less than four shuffles, each of which waits
    for the one before. Welford's combination has a division: four steps of it with shuffles cost
    less than 15.

    Args:
        parts: Warps whose partials are combined, a power of two.
        words: Words of 32 bits of the values of a row; a smaller value takes one.
        instructions: Instructions that combine two values.
    """
    steps = parts.bit_length() - 1
    return steps * (_SHUFFLE * words + instructions) + _WAIT < (parts - 1) * instructions
