"""Schedule the operations of loops by their latencies (tritongpu-schedule-loops).

Before:  scf.for … {
           %a = tt.load %p {tt.latency = 2 : i32}
           %x = ttg.convert_layout %a
           %d = tt.dot %x, %y, %acc
           %q = tt.addptr %p, %c
After:   scf.for … {
           %a = tt.load %p {loop.cluster = 3 : i32, loop.stage = 0 : i32}
           %x = ttg.convert_layout %a {loop.cluster = 0 : i32, loop.stage = 2 : i32}
           %d = tt.dot %x, %y, %acc {loop.cluster = 0 : i32, loop.stage = 2 : i32}
           %q = tt.addptr %p, %c {loop.cluster = 2 : i32, loop.stage = 1 : i32}
         } {tt.scheduled_max_stage = 2 : i32}

1. Operations that an operation with a latency leads to run as late as their longest path to the
   end of the loop allows. There is one cluster per stage, the last stage first, so that what a
   stage reads was written by the stage after it in the previous iteration of the kernel.
   Above, with the latencies that tritongpu-assign-latencies gives for three stages:

                    latency   distance to the end   stage                cluster
   tt.load          2         2                     2 - 2 = 0            2
   convert, dot     0         0                     2 - 0 = 2            0

2. Conditionals that scheduled operations depend on form a prologue before all clusters; other
   conditionals form an epilogue after them.
3. Dependencies follow their users, and everything else goes to the last stage. The next address is
   an iter_arg of the load: stage 1, in a new cluster before that of the load, which is 3 then.

Loops with barriers, asserts, prints or inner loops are not scheduled. A loop that warp
specialization partitioned keeps its schedule, without the stages that it does not need.

Needs layouts. Changes no operation. Source: Triton, ScheduleLoops.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from weft.analysis.slices import backward_slice, forward_slice
from weft.ir import scf, tt, ttg, ttng
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.passes.pipelining.decision_records import (
    SYNCHRONIZED,
    record_rejected_loop,
    record_schedule,
    rejection_of_structure,
)
from weft.passes.pipelining.loop_queries import (
    is_safe_to_pipeline,
    loops_inner_first,
    users,
)
from weft.passes.pipelining.schedule.cluster_list import Cluster
from weft.passes.pipelining.schedule.completion import (
    schedule_dependencies,
    schedule_distance_one_dependencies,
    schedule_remaining_to_last_stage,
)
from weft.passes.pipelining.schedule.latencies import take_latencies
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["ScheduleLoops"]

# Operations that take long, in loops after warp specialization.
_SLOW_OPS = (
    tt.LoadOp,
    tt.DescriptorLoadOp,
    tt.DescriptorGatherOp,
    ttg.LocalStoreOp,
    ttg.LocalLoadOp,
    ttg.AsyncCopyGlobalToLocalOp,
    ttng.TMEMLoadOp,
    ttng.TMEMStoreOp,
    ttng.AsyncTMACopyGlobalToLocalOp,
    ttng.AsyncTMAGatherOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.WaitBarrierOp,
    ttng.ArriveBarrierOp,
)


class ScheduleLoops(Struct, frozen=True):
    """Turns latencies into stages and clusters."""

    name: ClassVar[str] = "tritongpu-schedule-loops"

    def run(self, module: ModuleOp) -> None:
        """Replace the latencies of operations in loops by a schedule."""
        latencies = take_latencies(module)
        for loop in loops_inner_first(module):
            schedule = _initial_schedule(loop, latencies)
            if schedule is None:
                continue
            first_cluster = _schedule_conditionals(loop, schedule)
            schedule_dependencies(loop, schedule)
            schedule_distance_one_dependencies(loop, schedule)
            schedule_remaining_to_last_stage(loop, schedule, first_cluster)
            schedule.write(loop)
            record_schedule(self.name, loop, schedule)


def _initial_schedule(loop: scf.ForOp, latencies: Mapping[Operation, int]) -> LoopSchedule | None:
    """Schedule the operations that determine the stages; None if the loop is not pipelined."""
    if not is_safe_to_pipeline(loop):
        # assign-latencies recorded the other reasons.
        if rejection_of_structure(loop) is None:
            record_rejected_loop(ScheduleLoops.name, loop, SYNCHRONIZED)
        return None
    if any(op in latencies for op in loop.block.ops):
        return _schedule_by_latency(loop, latencies)
    if WARP_SPECIALIZE not in loop.attributes:
        return None
    return _schedule_of_partition(loop, latencies)


def _schedule_by_latency(loop: scf.ForOp, latencies: Mapping[Operation, int]) -> LoopSchedule:
    """Schedule the operations with a latency, and what they lead to."""
    distances = _distances_to_end(loop, latencies)
    # The operation with the longest path starts in stage 0; all others follow from the end.
    longest = max(distances[op] for op in loop.block.ops if op in latencies)
    stages = {op: longest - distance for op, distance in distances.items()}
    last_stage = max(stages.values())
    schedule = LoopSchedule(last_stage + 1)
    clusters = [schedule.clusters.append() for _ in range(last_stage + 1)]
    for op, stage in stages.items():
        schedule.insert(op, stage, clusters[last_stage - stage])
    epilogue = schedule.clusters.append()
    for op, stage in stages.items():
        # A conditional runs as late as possible, unless something scheduled depends on it.
        if (
            isinstance(op, scf.IfOp)
            and op not in latencies
            and not any(other in stages for other in forward_slice(op))
        ):
            schedule.insert(op, stage, epilogue)
    return schedule


def _distances_to_end(loop: scf.ForOp, latencies: Mapping[Operation, int]) -> dict[Operation, int]:
    """Compute the largest sum of latencies from an operation to the end of the loop.

    Returns:
        The sum, with the operation's own latency, for the operations of the body that an
        operation with a latency leads to.
    """
    body = [op for op in loop.block.ops if op is not loop.terminator]
    following: dict[Operation, list[Operation]] = {}
    worklist = [op for op in body if op in latencies]
    while worklist:
        op = worklist.pop()
        if op not in following:
            ancestors = (ancestor_in_block(user, loop.block) for user in users(op))
            following[op] = [
                user for user in ancestors if user is not None and user is not loop.terminator
            ]
            worklist += following[op]
    distances: dict[Operation, int] = {}
    for op in reversed(body):  # users come after the operations that they use
        if op in following:
            longest = max((distances[user] for user in following[op]), default=0)
            distances[op] = latencies.get(op, 0) + longest
    return distances


def _schedule_of_partition(
    loop: scf.ForOp, latencies: Mapping[Operation, int]
) -> LoopSchedule | None:
    """Reuse the schedule that a loop had before it was partitioned among groups of warps."""
    schedule = LoopSchedule.read(loop)
    if schedule is None:
        return None
    body = [op for op in loop.block.ops if op is not loop.terminator]
    slow_ops = [op for op in body if op in latencies or isinstance(op, _SLOW_OPS)]
    if len({schedule.stage(op) for op in slow_ops if op in schedule}) > 1:
        schedule.shrink_to_fit()
        return schedule
    single_stage = LoopSchedule(1)
    cluster = single_stage.clusters.append()
    for op in body:
        single_stage.insert(op, 0, cluster)
    return single_stage if body else None


def _schedule_conditionals(loop: scf.ForOp, schedule: LoopSchedule) -> Cluster:
    """Schedule conditionals to the start and end of the loop.

    Returns:
        The first cluster after those that run at the start.
    """
    first_cluster = schedule.clusters[0]
    stages = _stages_of_prologue(loop, schedule)
    if stages:
        prologue = schedule.clusters.prepend()
        for op, stage in stages.items():
            schedule.insert_if_absent(op, stage, prologue)
    epilogue = schedule.clusters.append()
    for op in loop.block.ops:
        if isinstance(op, scf.IfOp) and op not in stages:
            schedule.insert_if_absent(op, schedule.num_stages - 1, epilogue)
    return first_cluster


def _stages_of_prologue(loop: scf.ForOp, schedule: LoopSchedule) -> dict[scf.IfOp, int]:
    """Find the conditionals that scheduled operations depend on, and the first stage of those."""
    stages: dict[scf.IfOp, int] = {}
    function = loop.get_toplevel_object()
    if not any(isinstance(op, scf.IfOp) for op in function.walk()):
        return stages
    for stage in range(schedule.num_stages):
        visited: set[Operation] = set()
        for op in reversed(schedule.ops_in_order(loop)):
            # The slice of an operation is part of that of its users.
            if schedule.stage(op) != stage or op in visited:
                continue
            visited.update(
                backward_slice(op, omit_block_arguments=True, omit_uses_from_above=False)
            )
        for op in visited:
            if isinstance(op, scf.IfOp):
                stages.setdefault(op, stage)
    return stages
