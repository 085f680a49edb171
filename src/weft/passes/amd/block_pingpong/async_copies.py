"""Two clusters for loops that copy to shared memory asynchronously.

A dot of f16 or f8, at 3 stages. The slices of K are small enough for all registers:
    local load A B | copy A | wait | copy B, dot | barrier

A scaled dot, at 2 stages. Its lowering puts a second barrier between its halves along K:
    wait, copy A B, loads | barrier | local loads, dot
"""

from __future__ import annotations

from weft.ir import attributes, ttg, types
from weft.ir.builtin import UnitAttr
from weft.ir.rewriting import Builder, erase
from weft.passes.amd.block_pingpong.cluster_builder import ClusterBuilder
from weft.passes.amd.block_pingpong.loop_operations import LoopOperations

__all__ = ["schedule_copies_before_scaled_dot", "schedule_local_loads_before_dot"]

_SALU, _MFMA = 4, 8  # kinds of instructions (LLVM, llvm.amdgcn.sched.group.barrier)
_MIN_SIDE = 64  # of a tile; Triton leaves smaller ones as they are
_SCALED_TILE = (256, 256)  # the only one that Triton schedules


def schedule_local_loads_before_dot(ops: LoopOperations) -> bool:
    """Reorder a loop with one dot, two copies and two local loads.

    Returns:
        Whether the tile is large enough and the loop has the operations.
    """
    dot = ops.dots[0]
    is_large = all(size > _MIN_SIDE for size in types.shape(dot.d.type)[:2])
    if not is_large or types.bit_width(dot.a.type) not in (8, 16):
        return False
    copies, commits = ops.copies[:2], ops.commits[:2]
    if len(copies) < 2 or len(commits) < 2 or not ops.waits:
        return False
    if not ops.are_in_body((dot, *copies, *commits, *ops.waits, *ops.local_loads[:2])):
        return False
    clusters = ClusterBuilder(copies[1], ops.loop.location)
    wait = _combine_waits(ops)
    for load in ops.local_loads[:2]:
        clusters.pull(load)
    clusters.fix_order()
    clusters.append(copies[0], commits[0])
    clusters.fix_order()
    # The last point where the copies must be complete:
    #   lower warps   local load 0, dot 0, local load 1
    #   upper warps                 local load 0 (needs what the lower warps copied), dot 0
    clusters.append(wait)
    clusters.fix_order()
    # Interleave three scalar instructions with each MFMA instruction.
    for index in range(5):
        kind, size = (_SALU, 3) if index % 2 else (_MFMA, 1)
        clusters.append(clusters.create.instruction_group(kind, size))
    clusters.append(copies[1], commits[1])
    clusters.pull(dot)
    _append_plain_barrier(clusters)
    return True


def _combine_waits(ops: LoopOperations) -> ttg.AsyncWaitOp:
    """Replace the waits of a loop by one for all their groups."""
    if len(ops.waits) == 1:
        return ops.waits[0]
    tokens = [token for wait in ops.waits for token in wait.operands]
    builder = Builder().after(ops.copies[1])
    builder.location = ops.loop.location
    # Code generation computes how many groups may be pending from the tokens.
    combined = builder.create(
        ttg.AsyncWaitOp, tokens, [ttg.async_token], {"num": attributes.integer(0, types.i32)}
    )
    for wait in ops.waits:
        wait.results[0].replace_all_uses_with(combined.results[0])
        erase(wait)
    return combined


def schedule_copies_before_scaled_dot(ops: LoopOperations) -> bool:
    """Reorder a loop with one scaled dot.

    Returns:
        Whether the loop has copies and waits, and the tile is 256×256 of 8-bit elements.
    """
    dot = ops.scaled_dots[0]
    if types.shape(dot.d.type)[:2] != _SCALED_TILE or types.bit_width(dot.a.type) != 8:
        return False
    if not ops.copies or not ops.waits:
        return False
    if not ops.are_in_body((dot, *ops.waits[:1], *ops.commits, *ops.loads)):
        return False
    clusters = ClusterBuilder(ops.waits[0], dot.location)
    for op in (*ops.commits, *ops.loads):
        clusters.pull(op)
    _append_plain_barrier(clusters)
    dot.attributes["pingpong_2step"] = UnitAttr()
    return True


def _append_plain_barrier(clusters: ClusterBuilder) -> None:
    """Append a barrier that does not wait for memory, and that no instruction moves across."""
    clusters.fix_order()
    clusters.append(clusters.create.plain_barrier())
    clusters.fix_order()
