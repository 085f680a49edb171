"""Delay half of the warps of a block by one barrier, for the duration of a loop.

A loop with a memory cluster M and a dot cluster D, each of which ends with a barrier (|):

    lower warps     M | D | M | D | … D |            one barrier after the loop
    upper warps       | M | D | M | …     D |        one barrier before the loop

The barriers of one column are the same: while the lower warps run D, the upper ones run M.
"""

from __future__ import annotations

from weft.ir import amdg, arith, rocdl, scf, ttg, types
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder
from weft.passes.amd.block_pingpong.instructions import LOCAL_MEMORY

__all__ = ["delay_half_of_the_warps"]

_HALF_OF_THE_THREADS = 256  # of the 8 warps of 64 threads that block ping-pong works on


def delay_half_of_the_warps(loop: scf.ForOp, threads: int = _HALF_OF_THE_THREADS) -> None:
    """Make the upper warps wait before a loop, until the lower ones reach a barrier inside.

    After the loop, the lower warps wait once more, so that all warps have passed the same number
    of barriers.

    Args:
        loop: The loop.
        threads: How many threads the lower warps have.
    """
    builder = Builder().before(loop)
    builder.create(ttg.BarrierOp, properties=LOCAL_MEMORY)
    thread = builder.create(rocdl.WorkitemIdXOp, (), [types.i32]).results[0]
    zero = builder.constant(0, types.i32)
    half = builder.constant(threads, types.i32)
    group = builder.value(arith.DivSIOp, [thread, half], types.i32)
    is_low, is_high = (
        builder.value(arith.CmpIOp, [group, zero], types.i1, {"predicate": predicate.attr()})
        for predicate in (CmpIPredicate.EQ, CmpIPredicate.NE)
    )
    builder.create(amdg.CondBarrierOp, [is_high])
    builder.after(loop).create(amdg.CondBarrierOp, [is_low])
