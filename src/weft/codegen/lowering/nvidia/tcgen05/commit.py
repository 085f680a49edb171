"""tcgen05.commit: arrive on an mbarrier when the MMAs and copies that a thread issued are done.

    ttng.tc_gen5_commit %m               tcgen05.commit.cta_group::1.… [m];
                     two_ctas            …cta_group::2.….multicast::cluster [m], the pair;
    %m descs %a, %b                      ….multicast::cluster [m], CTAs that hold the same;

Of a pair of CTAs the first issues, and the commit arrives on both mbarriers. It also arrives on
those of CTAs that received the operands by multicast, whose buffers may then be overwritten.
Source: PTX ISA 9.0, tcgen05.commit; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from weft.analysis.tensor_memory import is_in_tensor_memory
from weft.codegen.hardware.nvidia.inline_ptx import SHARED, elected, guard, ptx
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.cta_masks import multicast_mask, replica_cta_bits
from weft.codegen.lowering.nvidia.mbarrier import barrier_address
from weft.codegen.lowering.nvidia.tcgen05.allocation import cta_group
from weft.codegen.lowering.registry import lowers
from weft.ir import ttng

__all__ = ["commit", "issues_for_pair"]

_PAIR = 1  # the bit of a block's number in which a pair differs


def issues_for_pair(ctx: LoweringContext) -> str:
    """Return an i1: whether the block issues for its pair; "" where blocks work alone."""
    return ctx.threads.bits_are_zero({"block": _PAIR}) if ctx.tensor_memory.two_ctas else ""


def commit(
    ctx: LoweringContext, barrier: SSAValue, condition: str, operands: Sequence[SSAValue] = ()
) -> None:
    """Let a thread arrive on a barrier once all that it has issued is done.

    Args:
        ctx: State of the function.
        barrier: The mbarrier.
        condition: An i1; "" for true.
        operands: Multicast buffers; the commit arrives in all CTAs that hold the same part.
    """
    memory = ctx.tensor_memory
    pair = _PAIR if memory.two_ctas else 0
    masks = [
        replica_cta_bits(view) | pair for view in operands if not is_in_tensor_memory(view)
    ] or [pair]
    several = [("h", "i16", multicast_mask(ctx, masks))] if any(masks) else []
    ptx(
        ctx.writer,
        f"@$0 tcgen05.commit.{cta_group(memory)}.mbarrier::arrive::one.shared::cluster"
        f"{'.multicast::cluster' * len(several)}.b64 [$1]{', $2' * len(several)};",
        ("b", "i1", condition),
        ("r", SHARED, barrier_address(ctx, barrier)),
        *several,
    )


@lowers(ttng.TCGen5CommitOp)
def _arrive(ctx: LoweringContext, op: ttng.TCGen5CommitOp) -> None:
    w = ctx.writer
    predicate = "" if op.pred is None else ctx.scalar(op.pred)
    thread = guard(w, ctx.threads.is_in_first_warps(1), issues_for_pair(ctx), predicate, elected(w))
    commit(ctx, op.barrier, thread, op.descs)
