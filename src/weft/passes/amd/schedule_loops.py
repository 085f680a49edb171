"""Schedule the loads and dots of loops for AMD's chips (tritonamdgpu-schedule-loops).

Before:  scf.for … {
           %a = tt.load %p
           %x = ttg.convert_layout %a
           %d = tt.dot %x, %y, %acc
After:   scf.for … {
           %a = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32}
           %x = ttg.convert_layout %a
           %d = tt.dot %x, %y, %acc {loop.cluster = 1 : i32, loop.stage = 1 : i32}
         } {tt.scheduled_max_stage = 1 : i32}

Only these operations are scheduled: tritonamdgpu-pipeline schedules the rest when it has created
the accesses to shared memory. A dot runs in the last stage, a load that feeds it in the first; if
the address of that load is loaded, too, the loads are in different stages. For loops with two
chained dots see `weft.passes.pipelining.amd_schedules`.

A load whose tensor was shuffled in global memory, so that its layout is right for the dot, does not
go through shared memory. It is marked with `amdg.bypass_lds_load`:

    %a = tt.load %p : #blocked              %a = tt.load %q {amdg.bypass_lds_load = true} : #linear
    %b = tt.reshape %a                 →    (%q is %p in the layout #linear)
    %c = ttg.convert_layout %b → #dot_op

Needs layouts. Changes only such loads. Source: Triton, ScheduleLoops.cpp of the AMD back end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.analysis.encoding_inference import operand_encoding
from weft.analysis.slices import forward_slice
from weft.ir import attributes, scf, tt, ttg, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import BlockedEncoding, Encoding
from weft.layouts.dimension_order import contiguous_per_thread
from weft.passes.pipelining.amd_schedules import (
    BYPASS_LDS,
    ChainedCluster,
    ChainedStage,
    SingleDotCluster,
    chained_dots,
    chip_of,
    pipelined_loads,
)
from weft.passes.pipelining.decision_records import (
    SINGLE_STAGE,
    SYNCHRONIZED,
    enabled,
    record_load,
    record_rejected_loop,
    rejection_of_structure,
)
from weft.passes.pipelining.loads.load_levels import LoadLevel
from weft.passes.pipelining.loop_queries import (
    is_safe_to_pipeline,
    loops_inner_first,
    num_stages_of,
)
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.rewrite.change_layout import change_layout
from weft.targets import Target

__all__ = ["ScheduleLoops"]

_VIEWS = (tt.ReshapeOp, tt.TransOp, ttg.MemDescTransOp, ttg.ConvertLayoutOp)


class ScheduleLoops(Struct, frozen=True):
    """Assigns stages and clusters to the loads and dots of loops.

    Attributes:
        num_stages: The number of stages of loops that do not ask for another one.
    """

    num_stages: int = 2

    name: ClassVar[str] = "tritonamdgpu-schedule-loops"

    def run(self, module: ModuleOp) -> None:
        """Schedule the loops of a module.

        Raises:
            PassError: The module has no "ttg.target".
        """
        loops: list[scf.ForOp] = []
        for loop in loops_inner_first(module):
            if not is_safe_to_pipeline(loop):
                record_rejected_loop(self.name, loop, rejection_of_structure(loop) or SYNCHRONIZED)
            elif num_stages_of(loop, self.num_stages) > 1:
                loops.append(loop)
            elif enabled():
                _record_single_stage(module, loop)
        if not loops:
            return
        chip = chip_of(module)
        infos: ModuleAxisInfo | None = None
        for loop in loops:
            if infos is None:
                infos = axis_info(module)
                write_argument_hints(infos)
            if _schedule(loop, num_stages_of(loop, self.num_stages), infos, chip):
                infos = None  # there are new values


def _record_single_stage(module: ModuleOp, loop: scf.ForOp) -> None:
    """Record which loads of a loop with num_stages=1 more stages would pipeline."""
    infos = axis_info(module)
    write_argument_hints(infos)
    for load in pipelined_loads(loop, infos, 2, chip_of(module)):
        record_load(ScheduleLoops.name, load, loop, SINGLE_STAGE)


def _schedule(loop: scf.ForOp, num_stages: int, infos: ModuleAxisInfo, chip: Target) -> bool:
    """Schedule a loop; return whether a load has another layout now."""
    levels: dict[Operation, LoadLevel] = {}
    changed = False
    for load, level in pipelined_loads(loop, infos, num_stages, chip).items():
        layout = _layout_for_dot(load, level.user)
        if layout is None:
            levels[load] = level
            continue
        new_load = change_layout(load, layout, lambda _, value: types.is_tensor(value.type))
        new_load.attributes[BYPASS_LDS] = attributes.boolean(True)
        levels[new_load] = level
        changed = True
    if not levels:
        return changed
    dots = chained_dots(loop, num_stages, levels.values())
    if dots is None:
        schedule = _single_dot_schedule(levels, num_stages)
    else:
        schedule = _chained_dot_schedule(loop, dots, levels)
    schedule.write(loop)
    return changed


def _single_dot_schedule(levels: Mapping[Operation, LoadLevel], num_stages: int) -> LoopSchedule:
    """Put what the loads are for into the last stage, and loads by their level before it."""
    schedule = LoopSchedule(num_stages)
    clusters = [schedule.clusters.append() for _ in SingleDotCluster]
    last_stage = num_stages - 1
    for use in levels.values():
        if not isinstance(use.user, tt.LoadOp):
            schedule.insert(use.user, last_stage, clusters[SingleDotCluster.COMPUTE])
    top_level = max(use.level for use in levels.values())
    distance = -(-(num_stages - 2) // (top_level + 1))
    # Of the loads after the first, Triton takes only two stages: that of the stores to shared
    # memory, and the last one.
    stages = (0, top_level)
    first = clusters[0]
    for load, use in levels.items():
        index = (top_level - use.level) * distance
        schedule.insert(load, stages[index] if index < len(stages) else last_stage, first)
    return schedule


def _chained_dot_schedule(
    loop: scf.ForOp, dots: tuple[tt.DotOp, tt.DotOp], levels: Mapping[Operation, LoadLevel]
) -> LoopSchedule:
    """Put each load one or two stages before its dot, and split the operations between dots."""
    schedule = LoopSchedule(ChainedStage.DOT_2 + 1)
    clusters = [schedule.clusters.append() for _ in ChainedCluster]
    schedule.insert(dots[0], ChainedStage.DOT_1, clusters[ChainedCluster.DOT_1])
    schedule.insert(dots[1], ChainedStage.DOT_2, clusters[ChainedCluster.DOT_2])
    for load, use in levels.items():
        if use.user is dots[0]:
            schedule.insert(
                load, ChainedStage.GLOBAL_LOAD_1, clusters[ChainedCluster.GLOBAL_LOAD_1]
            )
        elif use.user is dots[1]:
            schedule.insert(
                load, ChainedStage.GLOBAL_LOAD_2, clusters[ChainedCluster.GLOBAL_LOAD_2]
            )
    _split_between_dots(loop, dots, schedule)
    return schedule


def _split_between_dots(
    loop: scf.ForOp, dots: tuple[tt.DotOp, tt.DotOp], schedule: LoopSchedule
) -> None:
    """Schedule where the chain between two dots is split.

    The chain is followed back from the operands of the second dot to the first operation whose
    result has several uses: it stays in the stage of the first dot, because its other users would
    need a copy. What follows it runs in the stage of the second dot.
    """
    first, second = dots
    after_first = schedule.clusters[ChainedCluster.AFTER_DOT_1]
    after_second = schedule.clusters[ChainedCluster.AFTER_DOT_2]
    chain = set(forward_slice(first.results[0]))
    for operand in second.operands:
        end = defining_op(operand)
        if end is None or end not in chain:
            continue
        worklist: list[SSAValue] = [operand]
        while worklist:
            op = defining_op(worklist.pop())
            if op is None or op not in chain or op in schedule:
                continue
            if sum(1 for result in op.results for _ in result.uses) > 1:
                schedule.insert(op, ChainedStage.DOT_1, after_second)
                schedule.insert_if_absent(end, ChainedStage.DOT_2, after_first)
            else:
                worklist += op.operands
    for value in loop.yielded_values:
        op = defining_op(value)
        if op is not None and op in chain:
            schedule.insert_if_absent(op, ChainedStage.DOT_2, after_first)


def _layout_for_dot(load: Operation, dot: Operation) -> Encoding | None:
    """Infer the layout of a load that makes its tensor the operand of a dot without a conversion.

    Returns:
        The layout; None if the load is no less coalesced in its present layout, or if more than
        views and layout conversions lie between the load and one operand of the dot.
    """
    if not isinstance(dot, tt.DotOp | tt.DotScaledOp):
        return None
    users = set(forward_slice(load))
    producers = [
        producer
        for operand in dot.operands
        if (producer := defining_op(operand)) is not None and producer in users
    ]
    if len(producers) != 1:
        return None
    op: Operation | None = producers[0]
    encoding = types.encoding(producers[0].results[0].type)
    has_view = False
    while op is not None and op is not load and encoding is not None:
        if not isinstance(op, _VIEWS):
            return None
        if not isinstance(op, ttg.ConvertLayoutOp):
            encoding = operand_encoding(op, encoding)
            has_view = True
        op = defining_op(op.operands[0])
    if op is not load or not has_view or encoding is None:
        return None
    return encoding if _is_coalesced(load, encoding) else None


def _is_coalesced(load: Operation, layout: Encoding) -> bool:
    """Check whether a load in another layout needs no more, and no narrower, accesses."""
    type_ = load.results[0].type
    current = types.encoding(type_)
    if not isinstance(current, BlockedEncoding):
        return False
    linear = layout.linear(types.shape(type_))
    inner = current.order[0]
    if contiguous_per_thread(linear)[inner] < current.size_per_thread[inner]:
        return False
    # Warps that hold the same elements would load them several times.
    return "warp" in linear.in_dims and all(linear.images("warp"))
