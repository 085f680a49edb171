"""Lower the pipelined loads of a loop to accesses of buffers in shared memory.

Before:  scf.for … {                    After:  %m = ttg.local_alloc … 1x…
           %a = tt.load %p                      scf.for … iter_args(%i = %c-1) {
           … %a                                   %j = (%i + 1) mod 1
         }                                        %v = ttg.memdesc_index %m[%j]
                                                  %b = tt.load %p
                                                  ttg.local_store %b, %v
                                                  %a = ttg.local_load %v
                                                  … %a
                                                  scf.yield %j
                                                }

or, asynchronously,                             %t = ttg.async_copy_global_to_local %p, %v
                                                %g = ttg.async_commit_group tokens %t
                                                %w = ttg.async_wait %g
                                                %a = ttg.local_load %v token %w

In the single-dot schedule, the number of buffers is the distance of the stages of the store and the
dot, and one more for asynchronous copies, which have no registers between. For the clusters see
`weft.passes.pipelining.amd_schedules`.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import arith, scf, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, clone, erase
from weft.layouts import Encoding
from weft.passes.amd.pipeline.buffer_encodings import BufferChoice, can_copy_directly
from weft.passes.pipelining.amd_schedules import (
    BYPASS_LDS,
    ChainedCluster,
    ChainedStage,
    SingleDotCluster,
    chained_dots,
    pipelined_loads,
)
from weft.passes.pipelining.buffers.async_copies import create_async_copy, create_async_wait
from weft.passes.pipelining.buffers.multi_buffers import (
    allocate_buffers,
    replace_uses_with_local_load,
    select_buffer,
)
from weft.passes.pipelining.decision_records import record_pipelined_load, record_schedule
from weft.passes.pipelining.loads.copy_width import copy_contiguity
from weft.passes.pipelining.loads.load_levels import LoadLevel
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.schedule.completion import (
    schedule_dependencies,
    schedule_distance_one_dependencies,
    schedule_remaining_to_last_stage,
)
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.targets import Target

__all__ = ["LoweringOptions", "lower_loads"]

_PINGPONG_STAGES = 3


class LoweringOptions(Struct, frozen=True):
    """How loads are lowered.

    Attributes:
        chip: The chip.
        use_async_copy: Whether loads become asynchronous copies where that is possible.
        use_pingpong: Whether a wait belongs to the end of the iteration before.
    """

    chip: Target
    use_async_copy: bool
    use_pingpong: bool


_PASS = "tritonamdgpu-pipeline"


class _Access(Struct):
    """The operations that replace a load.

    Attributes:
        load: The load from global memory, or the copy to shared memory.
        stores: What writes to shared memory, with the view for it; or the commit of the copy.
        wait: The wait for the copy; None for a load to registers.
        read: The load from shared memory; None if only buffers of the load were read.
    """

    load: Operation
    stores: tuple[Operation, ...]
    wait: Operation | None
    read: Operation | None


def lower_loads(loop: scf.ForOp, infos: ModuleAxisInfo, options: LoweringOptions) -> None:
    """Lower the loads of a loop, and complete its schedule.

    Args:
        loop: The loop, with the schedule of its loads and dots in attributes. It is replaced.
        infos: The axis info of the module before any loop was changed.
        options: How loads are lowered.
    """
    schedule = LoopSchedule.read(loop, normalize_clusters=False)
    if schedule is None:
        return
    levels = pipelined_loads(loop, infos, schedule.num_stages, options.chip)
    choice = BufferChoice(infos, options.chip, options.use_async_copy)
    encodings: dict[tt.LoadOp, Encoding] = {}
    for load in levels:
        if load.attributes.pop(BYPASS_LDS, None) is None:
            encoding = choice.encoding(load)
            if encoding is not None and isinstance(load, tt.LoadOp):
                encodings[load] = encoding
    for load in levels:
        distance = schedule.num_stages - 1 - schedule.stage(load) if load in schedule else 0
        if load not in encodings and distance > 0:
            record_pipelined_load(_PASS, load, loop, "registers", distance, buffers=0)
    lowering = _Lowering(infos, options, schedule)
    if chained_dots(loop, schedule.num_stages, levels.values()) is not None:
        loop = lowering.run_chained(loop, encodings)
    else:
        loop = lowering.run_single(loop, encodings, levels)
    schedule.write(loop)
    record_schedule(_PASS, loop, schedule)


class _Lowering(Struct, frozen=True, eq=False):
    """The lowering of the loads of one loop.

    Attributes:
        infos: The axis info of the module before any loop was changed.
        options: How loads are lowered.
        schedule: The schedule of the loop, which the lowering completes.
    """

    infos: ModuleAxisInfo
    options: LoweringOptions
    schedule: LoopSchedule

    # ---------------------------------------------------------------------------- schedules
    def run_single(
        self,
        loop: scf.ForOp,
        encodings: Mapping[tt.LoadOp, Encoding],
        levels: Mapping[Operation, LoadLevel],
    ) -> scf.ForOp:
        """Lower loads with the single-dot schedule; return the new loop."""
        schedule = self.schedule
        last_stage = schedule.num_stages - 1
        store_stage = max((use.level for use in levels.values()), default=0)
        wait = last_stage, SingleDotCluster.WAIT
        if self.options.use_async_copy and self.options.use_pingpong:
            if schedule.num_stages == _PINGPONG_STAGES:
                wait = max(0, last_stage - 1), SingleDotCluster.WAIT_AT_END
        # Until now, clusters only separated loads from dots.
        schedule.clusters.clear()
        clusters = [schedule.clusters.append() for _ in SingleDotCluster]
        for op in schedule:
            schedule.insert(op, schedule.stage(op), clusters[SingleDotCluster.COMPUTE])
        buffers = max(1, last_stage - store_stage) + self.options.use_async_copy
        loop, accesses = self._create_accesses(loop, encodings, buffers)
        for old_load, access in accesses.items():
            stage, cluster = schedule[old_load]
            schedule.insert(access.load, stage, cluster)
            if access.wait is None:
                for op in access.stores:
                    schedule.insert(op, store_stage, clusters[SingleDotCluster.STORE])
                continue
            for op in access.stores:
                schedule.insert(op, stage, cluster)
            # In the stage of the dot, the wait stays between the copy and the dot.
            if stage != last_stage:
                schedule.insert(access.wait, wait[0], clusters[wait[1]])
        self._complete(loop, SingleDotCluster.COMPUTE)
        return loop

    def run_chained(self, loop: scf.ForOp, encodings: Mapping[tt.LoadOp, Encoding]) -> scf.ForOp:
        """Lower loads with the schedule for chained dots; return the new loop."""
        schedule = self.schedule
        while len(schedule.clusters) < len(ChainedCluster):
            schedule.clusters.append()
        clusters = schedule.clusters
        scheduled = {load: encoding for load, encoding in encodings.items() if load in schedule}
        buffers = 2 if self.options.use_async_copy else 1
        loop, accesses = self._create_accesses(loop, scheduled, buffers)
        for old_load, access in accesses.items():
            position = schedule[old_load]
            if position[0] == ChainedStage.GLOBAL_LOAD_1:
                store = ChainedStage.LOCAL_STORE_1, clusters[ChainedCluster.LOCAL_STORE_1]
                wait = ChainedStage.LOCAL_LOAD_1, clusters[ChainedCluster.ASYNC_WAIT_1]
                read = ChainedStage.LOCAL_LOAD_1, clusters[ChainedCluster.LOCAL_LOAD_1]
            else:
                store = ChainedStage.LOCAL_STORE_2, clusters[ChainedCluster.LOCAL_STORE_2]
                wait = ChainedStage.LOCAL_LOAD_2, clusters[ChainedCluster.ASYNC_WAIT_2]
                read = ChainedStage.LOCAL_LOAD_2, clusters[ChainedCluster.LOCAL_LOAD_2]
            schedule.insert(access.load, *position)
            for op in access.stores:
                schedule.insert(op, *(store if access.wait is None else position))
            if access.wait is not None:
                schedule.insert(access.wait, *wait)
            if access.read is not None:
                schedule.insert(access.read, *read)
                conversion = _conversion(access)
                if conversion is not None:
                    schedule.insert(conversion, *read)
        for old_load in accesses:
            schedule.erase(old_load)
            erase(old_load)
        self._complete(loop, len(ChainedCluster) - 1)
        return loop

    def _complete(self, loop: scf.ForOp, cluster: int) -> None:
        """Schedule all other operations; those without dependences in a cluster."""
        first_cluster = self.schedule.clusters[cluster]
        schedule_dependencies(loop, self.schedule)
        schedule_distance_one_dependencies(loop, self.schedule)
        schedule_remaining_to_last_stage(loop, self.schedule, first_cluster)

    # ----------------------------------------------------------------------------- accesses
    def _create_accesses(
        self, loop: scf.ForOp, encodings: Mapping[tt.LoadOp, Encoding], buffers: int
    ) -> tuple[scf.ForOp, dict[tt.LoadOp, _Access]]:
        """Create the buffers and what replaces the loads; the loads stay, without users."""
        loop, index = _add_index(loop, buffers)
        accesses: dict[tt.LoadOp, _Access] = {}
        for load, encoding in encodings.items():
            memory = allocate_buffers(loop, load.result.type, encoding, buffers, load)
            is_copy = self.options.use_async_copy and can_copy_directly(
                load, encoding, buffers, self.infos, self.options.chip
            )
            builder = Builder(load.location).before(load)
            view = select_buffer(builder, memory, index)
            create = self._create_copy if is_copy else self._create_load
            method = "direct-to-LDS" if is_copy else "registers"
            distance = self.schedule.num_stages - 1 - self.schedule.stage(load)
            record_pipelined_load(_PASS, load, loop, method, distance, buffers)
            accesses[load] = create(builder, load, view)
        return loop, accesses

    def _create_load(self, builder: Builder, load: tt.LoadOp, view: OpResult) -> _Access:
        """Create a load to registers, which are stored to a buffer."""
        new_load = clone(load, {})
        builder.insert(new_load)
        store = builder.create(ttg.LocalStoreOp, [new_load.results[0], view])
        read = replace_uses_with_local_load(builder, load.results[0], view)
        return _Access(new_load, (view.op, store), None, read)

    def _create_copy(self, builder: Builder, load: tt.LoadOp, view: OpResult) -> _Access:
        """Create an asynchronous copy to a buffer."""
        contiguity = copy_contiguity(load, self.infos)
        copy, commit = create_async_copy(builder, load, view, contiguity)
        wait = create_async_wait(builder, *commit.results)
        read = replace_uses_with_local_load(builder, load.results[0], view, wait)
        return _Access(copy, (commit,), wait.op, read)


def _add_index(loop: scf.ForOp, buffers: int) -> tuple[scf.ForOp, SSAValue]:
    """Add the index of the current buffer to a loop."""
    builder = Builder(loop.location).before(loop)
    minus_one, zero, one, count = (
        builder.constant(number, types.i32) for number in (-1, 0, 1, buffers)
    )
    position = len(loop.iter_args)
    loop = add_iter_args(loop, [minus_one])
    builder.at_start(loop.block)
    following = builder.value(arith.AddIOp, [loop.iter_args[position], one], types.i32)
    predicate = {"predicate": CmpIPredicate.SLT.attr()}
    in_range = builder.value(arith.CmpIOp, [following, count], types.i1, predicate)
    index = builder.value(arith.SelectOp, [in_range, following, zero], types.i32)
    loop.terminator.operands[position] = index
    return loop, index


def _conversion(access: _Access) -> Operation | None:
    """Find the layout conversion that follows a load from shared memory, to be folded into it."""
    assert access.read is not None
    users = [use.operation for use in access.read.results[0].uses]
    if not users or (access.wait is not None and len(users) > 1):
        return None
    return users[0] if isinstance(users[0], ttg.ConvertLayoutOp) else None
