"""Lower the pipelined loads of a loop to asynchronous copies into multi-buffers.

Before:  scf.for … {                       After:  %m = ttg.local_alloc … 2x…
           %a = tt.load %p                         scf.for … iter_args(%i = %c-1, %j = %c-1) {
           … %a                                      %in = (%i + 1) mod 2
         }                                           %out = (%j + 1) mod 2
                                                     %v = ttg.memdesc_index %m[%in]
                                                     %t = ttg.async_copy_global_to_local %p, %v
                                                     %g = ttg.async_commit_group tokens %t
                                                     %w = ttg.async_wait %g
                                                     %u = ttg.memdesc_index %m[%out]
                                                     %a = ttg.local_load %u token %w
                                                     … %a
                                                     scf.yield %in, %out
                                                   }
                                                   ttg.async_wait

A load through a tensor descriptor becomes a TMA copy that arrives on an mbarrier (see
`lower_tma_loads`).

The copy is in the stage of the load, the wait in that of the first use. Both indices count the
same; there are two so that neither has to be carried from one stage to another.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.errors import PassError
from weft.ir import arith, locations, scf, tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import Builder, erase, set_type
from weft.layouts import default_blocked
from weft.passes.loops.pipeline.async_loads import AsyncLoad, find_async_loads, first_use, is_zero
from weft.passes.loops.pipeline.lower_tma_loads import (
    BufferIndices,
    create_barriers,
    lower_tma_load,
)
from weft.passes.pipelining.buffers.async_copies import create_async_copy, create_async_wait
from weft.passes.pipelining.buffers.multi_buffers import (
    allocate_buffers,
    increment_modulo,
    replace_uses_with_local_load,
    select_buffer,
)
from weft.passes.pipelining.loads.shared_encodings import is_descriptor_load
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.schedule.completion import schedule_dependencies
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.pipelining.schedule.stage_builder import StageBuilder

__all__ = ["lower_loads"]


def lower_loads(loop: scf.ForOp, schedule: LoopSchedule, infos: ModuleAxisInfo) -> scf.ForOp:
    """Lower the loads of a loop that are used in a later stage.

    Args:
        loop: The loop.
        schedule: Its schedule; new operations are added.
        infos: The axis info of the module before any loop was changed.

    Returns:
        The loop, or what replaces it.

    Raises:
        PassError: An operation of the body has no stage.
    """
    loads = find_async_loads(loop, schedule, infos)
    for load in loads:
        if isinstance(load, tt.LoadOp) and not types.is_tensor(load.result.type):
            _convert_to_tensor(load, loop, schedule)
    if not loads:
        return loop
    buffers = {
        load: allocate_buffers(
            loop, load.results[0].type, async_load.encoding, async_load.buffers, load
        )
        for load, async_load in loads.items()
    }
    loop, indices = _add_indices(loop, loads)
    barriers = create_barriers(loop, loads, indices, schedule)
    for load, async_load in loads.items():
        load_indices = indices[async_load.buffers]
        if isinstance(load, tt.LoadOp):
            copy = _Copy(load, async_load, buffers[load], load_indices)
            copy.lower(loop, schedule)
        else:
            lower_tma_load(load, loop, buffers[load], load_indices, barriers[load], schedule)
    schedule_dependencies(loop, schedule)
    if any(isinstance(load, tt.LoadOp) for load in loads):
        # Copies of iterations after the last one may be in flight.
        create_async_wait(Builder().after(loop))
    _check_complete(loop, schedule)
    return loop


def _add_indices(
    loop: scf.ForOp, loads: Mapping[Operation, AsyncLoad]
) -> tuple[scf.ForOp, dict[int, BufferIndices]]:
    """Add the indices of buffers to a loop, and the phases of mbarriers.

    Returns:
        The new loop, and the indices for loads with a number of buffers, by that number.
    """
    builder = Builder().before(loop)
    minus_one, zero, one = (builder.constant(number, types.i32) for number in (-1, 0, 1))
    has_phase: dict[int, bool] = {}
    for load, async_load in loads.items():
        has_phase[async_load.buffers] = has_phase.get(
            async_load.buffers, False
        ) or is_descriptor_load(load)
    position = len(loop.iter_args)
    inits = [[minus_one, minus_one, zero][: 2 + phase] for phase in has_phase.values()]
    loop = add_iter_args(loop, [init for group in inits for init in group])
    indices: dict[int, BufferIndices] = {}
    for count, group in zip(has_phase, inits, strict=True):
        arguments = loop.iter_args[position : position + len(group)]
        builder = Builder(loop.location).at_start(loop.block)
        modulus = builder.constant(count, types.i32)
        insert = increment_modulo(builder, arguments[0], modulus, zero, one)
        extract = increment_modulo(builder, arguments[1], modulus, zero, one)
        values = [insert.value, extract.value]
        for phase in arguments[2:]:
            # The phase of an mbarrier changes each time that its buffer is used again.
            flipped = builder.value(arith.XOrIOp, [phase, one], types.i32)
            values.append(builder.value(arith.SelectOp, [extract.wraps, flipped, phase], types.i32))
        indices[count] = BufferIndices(*values)
        for value in values:
            loop.terminator.operands[position] = value
            position += 1
    return loop, indices


class _Copy(Struct, frozen=True):
    """A load and the buffers that it becomes a copy into.

    Attributes:
        load: The load.
        async_load: What is known about it.
        buffers: The buffers.
        indices: Which of them to use.
    """

    load: tt.LoadOp
    async_load: AsyncLoad
    buffers: SSAValue
    indices: BufferIndices

    def lower(self, loop: scf.ForOp, schedule: LoopSchedule) -> None:
        """Replace the load."""
        load = self.load
        use = first_use([load], loop, schedule)
        builder = StageBuilder(schedule, schedule[load])
        builder.before(load)
        view = select_buffer(builder, self.buffers, self.indices.insert)
        _, group = create_async_copy(builder, load, view, self.async_load.contiguity)
        builder.position = schedule[use]
        wait = create_async_wait(builder, *group.results)
        buffer = select_buffer(builder, self.buffers, self.indices.extract)
        result = load.results[0]
        if load.other is None or is_zero(load.other):
            replace_uses_with_local_load(builder, result, buffer, wait)
        elif result.first_use is not None:
            # The copy wrote zeros to masked elements.
            assert load.mask is not None
            loaded = builder.value(ttg.LocalLoadOp, [buffer, wait], result.type)
            selected = builder.value(arith.SelectOp, [load.mask, loaded, load.other], result.type)
            result.replace_all_uses_with(selected)
        schedule.erase(load)
        erase(load)


def _convert_to_tensor(load: tt.LoadOp, loop: scf.ForOp, schedule: LoopSchedule) -> None:
    """Turn a load of a scalar into one of a tensor of one element."""
    module = loop.get_toplevel_object()
    warps, lanes = lookup_num_warps(load), lookup_threads_per_warp(module)  # pyright: ignore
    encoding = default_blocked((1,), warps, lanes, lookup_num_ctas(load))
    scalar_type = load.result.type
    builder = StageBuilder(schedule, schedule[load])
    builder.before(load)
    for index, operand in enumerate(load.operands):
        tensor_type = types.tensor((1,), operand.type, encoding)
        load.operands[index] = builder.value(tt.SplatOp, [operand], tensor_type)
    builder.after(load)
    builder.position = schedule[first_use([load], loop, schedule)]
    uses = list(load.result.uses)
    set_type(load.result, types.tensor((1,), scalar_type, encoding))
    scalar = builder.value(tt.UnsplatOp, [load.result], scalar_type)
    for use in uses:
        use.operation.operands[use.index] = scalar


def _check_complete(loop: scf.ForOp, schedule: LoopSchedule) -> None:
    missing: Operation | None = next(
        (op for op in loop.block.ops if op not in schedule and op is not loop.terminator), None
    )
    if missing is not None:
        raise PassError(
            "op not found in the schedule",
            location=locations.position(missing.location),
            found=missing.name,
            hint="give all operations of a loop a stage, or none",
        )
