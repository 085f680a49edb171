"""How often a block is executed: the product of the trip counts of the loops around it.

scf.for %i = %c0 to %c8 step %c2      4: the bounds are constants
scf.for %i = %c0 to %n step %c1       ASSUMED_TRIP_COUNT
"""

from __future__ import annotations

from weft.ir import scf
from weft.ir.builtin import Block
from weft.ir.scf.trip_count import trip_count

__all__ = ["ASSUMED_TRIP_COUNT", "block_weight"]

ASSUMED_TRIP_COUNT = 16
"""The iterations of a loop with unknown bounds, as `weft explain` assumes."""


def block_weight(block: Block) -> int:
    """Count how often a block is executed; a branch of a conditional counts as always taken."""
    weight, op = 1, block.parent_op()
    while op is not None:
        if isinstance(op, scf.ForOp):
            count = trip_count(op)
            weight *= ASSUMED_TRIP_COUNT if count is None else max(1, count)
        elif isinstance(op, scf.WhileOp):
            weight *= ASSUMED_TRIP_COUNT
        op = op.parent_op()
    return weight
