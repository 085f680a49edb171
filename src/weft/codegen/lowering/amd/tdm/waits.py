"""Waits for TDM copies, which the hardware counts by instruction.

    %t = amdg.async_tdm_gather %d[%rows, %column] to %b       4 instructions of each wave
    %u = amdg.async_tdm_gather %d[%others, %column] to %c     4 instructions
    %w = amdg.async_tdm_wait %t {num = 0 : i32}               s_wait_tensorcnt 4

A copy of a tile is one instruction of each wave. The layout of the indices says how many those of a
gather or scatter are; every wave issues all of them, some with a false predicate. Instructions
complete in order. If a wait has tokens, its number does not matter, as with Triton.
"""

from __future__ import annotations

from weft.analysis.async_wait_counts import (
    UNBOUNDED,
    function_contains,
    max_outstanding_for_groups,
    max_outstanding_for_tokens,
    tdm_instructions,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.registry import lowers
from weft.codegen.lowering.synchronize import wait
from weft.ir import amdg
from weft.ir.builtin import Operation
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.tile_copies import rows_of_instructions


@lowers(amdg.AsyncTDMWaitOp)
def _wait(ctx: LoweringContext, op: amdg.AsyncTDMWaitOp) -> None:
    """Wait for the tokens, or else for all but the last `num` copies."""
    wait(ctx, "tensor", _outstanding(op, integer_property(op, "num")))
    ctx.define(op.results[0], [])


@lowers(amdg.AsyncTDMIntrinsicWaitOp)
def _wait_for_instructions(ctx: LoweringContext, op: amdg.AsyncTDMIntrinsicWaitOp) -> None:
    """Wait for instructions as Triton counts them, unless a wave issues fewer for a copy."""
    pending = integer_property(op, "count")
    if function_contains(op, lambda each: _instructions_of(each) < tdm_instructions(each)):
        # Without tokens it is unknown which copies the number is of.
        pending = min(pending, _outstanding(op, 0))
    wait(ctx, "tensor", pending)
    ctx.define(op.results[0], [])


def _instructions_of(op: Operation) -> int:
    """Count the instructions that every wave issues for a TDM copy; 0 for other operations."""
    if isinstance(op, amdg.AsyncTDMGatherOp | amdg.AsyncTDMScatterOp):
        return len(rows_of_instructions(op.operands[1].type).starts)
    return tdm_instructions(op)


def _outstanding(op: Operation, copies: int) -> int:
    """Count the instructions that may be outstanding after a wait for copies or tokens."""
    if op.operands:
        return max_outstanding_for_tokens(op, _instructions_of)
    outstanding = max_outstanding_for_groups(
        op, copies, _instructions_of, lambda each: bool(_instructions_of(each)), stop_at_start=True
    )
    # Each copy is at least one instruction.
    return copies if outstanding == UNBOUNDED else max(copies, outstanding)
