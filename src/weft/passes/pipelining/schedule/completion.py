"""Schedule the operations of a loop that its schedule does not have yet.

A schedule starts with the operations that matter, such as loads and dots. The others follow:

    %p = tt.addptr %q, %c      an address of a load: with the load, at the latest
    %a = tt.load %p            scheduled at stage 0
    %x = arith.addi %i, %c     yielded, and an iter_arg of an operation of stage 0: stage 1, in a
                               new cluster before that of its user in the next iteration
    tt.store …                 anything else: the last stage

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/Schedule.cpp and ScheduleLoops.cpp.
"""

from __future__ import annotations

from weft.ir import scf, tt
from weft.ir.builtin import BlockArgument, Operation
from weft.ir.rewriting import defining_op
from weft.passes.pipelining.loop_queries import nested_operands, users
from weft.passes.pipelining.schedule.cluster_list import Cluster
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = [
    "schedule_dependencies",
    "schedule_distance_one_dependencies",
    "schedule_remaining_to_last_stage",
]


def schedule_dependencies(loop: scf.ForOp, schedule: LoopSchedule) -> None:
    """Schedule what scheduled operations depend on in the same iteration, no later than they."""
    # Stage by stage, so that what two stages depend on goes to the earlier one.
    positions = [(op, *schedule[op]) for op in schedule.ops_in_order(loop)]
    for stage in range(schedule.num_stages):
        for op, op_stage, cluster in positions:
            if op_stage == stage:
                schedule.insert_dependencies(
                    op, stage, cluster, follow_iter_args=False, earlier_wins=True
                )


def schedule_distance_one_dependencies(loop: scf.ForOp, schedule: LoopSchedule) -> None:
    """Schedule what scheduled operations depend on in the previous iteration.

    The producer of an iter_arg goes to the stage after that of the user: then both run in one
    iteration of the kernel, the producer for the iteration before. So it needs a cluster before
    the user's. A load goes to the stage and cluster of the user.
    """
    new_clusters: dict[Cluster, Cluster] = {}
    for op in loop.block.ops:
        position = schedule.get(op)
        if position is None or position[0] == schedule.num_stages - 1:
            continue
        stage, cluster = position
        for operand in nested_operands(op):
            if not isinstance(operand, BlockArgument) or operand.block is not loop.block:
                continue
            if operand.index == 0:
                continue
            producer = defining_op(loop.yielded_values[operand.index - 1])
            if producer is None or producer in schedule:
                continue
            new_stage, new_cluster = stage, cluster
            if not isinstance(producer, tt.LoadOp):
                if cluster not in new_clusters:
                    new_clusters[cluster] = schedule.clusters.insert_before(cluster)
                new_stage, new_cluster = stage + 1, new_clusters[cluster]
            schedule.insert_if_absent(producer, new_stage, new_cluster)
            schedule.insert_dependencies(
                producer, new_stage, new_cluster, follow_iter_args=True, earlier_wins=True
            )


def schedule_remaining_to_last_stage(
    loop: scf.ForOp, schedule: LoopSchedule, first_cluster: Cluster
) -> None:
    """Schedule all other operations of a loop to the last stage.

    Args:
        loop: The loop.
        schedule: Its schedule.
        first_cluster: The cluster for operations without producers in a later cluster.
    """
    last_stage = schedule.num_stages - 1
    clusters = {
        op: first_cluster
        for op in loop.block.ops
        if op not in schedule and op is not loop.terminator
    }
    # Only producers of the last stage can be too late: all others belong to earlier iterations.
    worklist = [op for op in schedule.ops_in_order(loop) if schedule.stage(op) == last_stage]
    while worklist:
        op = worklist.pop()
        cluster = _cluster_of(op, schedule, clusters)
        for user in users(op):
            if user in clusters and clusters[user].index < cluster.index:
                clusters[user] = cluster
                worklist.append(user)
    for op, cluster in clusters.items():
        schedule.insert(op, last_stage, cluster)


def _cluster_of(
    op: Operation, schedule: LoopSchedule, clusters: dict[Operation, Cluster]
) -> Cluster:
    return schedule.cluster(op) if op in schedule else clusters[op]
