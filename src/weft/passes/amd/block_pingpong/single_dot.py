"""One memory cluster and one dot cluster, for two warps of different blocks on a SIMD.

    local load A                 priority 1
    load A
    local load B                 priority 0
    load B
    dot                          priority 1 during the dot

The loads from global and shared memory alternate, so that neither queue stalls the warp.
"""

from __future__ import annotations

from weft.passes.amd.block_pingpong.cluster_builder import ClusterBuilder
from weft.passes.amd.block_pingpong.instructions import Instructions
from weft.passes.amd.block_pingpong.loop_operations import LoopOperations

__all__ = ["schedule_single_dot"]

_NO_SIDE_EFFECTS = 1  # mask of the scheduling barrier


def schedule_single_dot(ops: LoopOperations) -> None:
    """Reorder a loop with one dot, two loads and two local loads."""
    dot, location = ops.dots[0], ops.loop.location
    # Memory accesses stay above the dot.
    barrier = Instructions(location).scheduling_barrier(_NO_SIDE_EFFECTS)
    ops.loop.block.insert_op_before(barrier, dot)

    memory = ClusterBuilder(ops.local_loads[0], location)
    memory.append(memory.create.priority(1))
    memory.pull(ops.loads[0])
    memory.fix_order()
    memory.pull(ops.local_loads[1])
    memory.append(memory.create.priority(0))
    memory.pull(ops.loads[1])

    ClusterBuilder(barrier, location).append_with_priority(dot)
