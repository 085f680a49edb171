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

The copy is in the stage of the load, the wait in that of the first use. Both indices count the
same; there are two so that neither has to be carried from one stage to another.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo
from weft.errors import PassError
from weft.ir import arith, attributes, locations, scf, tt, ttg, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import Builder, erase, set_type
from weft.layouts import default_blocked
from weft.passes.loops.pipeline.async_loads import AsyncLoad, find_async_loads, first_use, is_zero
from weft.passes.pipelining.buffers import (
    allocate_buffers,
    increment_modulo,
    replace_uses_with_local_load,
    select_buffer,
)
from weft.passes.pipelining.loop_schedule import LoopSchedule
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.schedule_completion import schedule_dependencies
from weft.passes.pipelining.stage_builder import StageBuilder

__all__ = ["lower_loads"]


class _Indices(Struct, frozen=True):
    """The indices of the buffers that an iteration writes and reads."""

    insert: OpResult
    extract: OpResult


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
        if not types.is_tensor(load.result.type):
            _convert_to_tensor(load, loop, schedule)
    if not loads:
        return loop
    buffers = {
        load: allocate_buffers(
            loop, load.result.type, async_load.encoding, async_load.buffers, load
        )
        for load, async_load in loads.items()
    }
    loop, indices = _add_indices(loop, loads)
    for load, async_load in loads.items():
        copy = _Copy(load, async_load, buffers[load], indices[async_load.buffers])
        copy.lower(loop, schedule)
    schedule_dependencies(loop, schedule)
    # Copies of iterations after the last one may be in flight.
    Builder().after(loop).create(
        ttg.AsyncWaitOp, (), [ttg.async_token], {"num": attributes.integer(0, types.i32)}
    )
    _check_complete(loop, schedule)
    return loop


def _add_indices(
    loop: scf.ForOp, loads: Mapping[tt.LoadOp, AsyncLoad]
) -> tuple[scf.ForOp, dict[int, _Indices]]:
    """Add the indices of buffers to a loop.

    Returns:
        The new loop, and the indices for loads with a number of buffers, by that number.
    """
    builder = Builder().before(loop)
    minus_one, zero, one = (builder.constant(number, types.i32) for number in (-1, 0, 1))
    counts = list(dict.fromkeys(async_load.buffers for async_load in loads.values()))
    first = len(loop.iter_args)
    loop = add_iter_args(loop, [minus_one] * (2 * len(counts)))
    indices: dict[int, _Indices] = {}
    for position, count in enumerate(counts):
        insert, extract = loop.iter_args[first + 2 * position : first + 2 * position + 2]
        builder = Builder(loop.location).at_start(loop.block)
        modulus = builder.constant(count, types.i32)
        insert_index = increment_modulo(builder, insert, modulus, zero, one).value
        extract_index = increment_modulo(builder, extract, modulus, zero, one).value
        indices[count] = _Indices(insert_index, extract_index)
        loop.terminator.operands[first + 2 * position] = insert_index
        loop.terminator.operands[first + 2 * position + 1] = extract_index
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
    indices: _Indices

    def lower(self, loop: scf.ForOp, schedule: LoopSchedule) -> None:
        """Replace the load."""
        load = self.load
        use = first_use([load], loop, schedule)
        builder = StageBuilder(schedule, schedule[load])
        builder.before(load)
        group = self._issue(builder)
        builder.position = schedule[use]
        num = {"num": attributes.integer(0, types.i32)}
        wait = builder.value(ttg.AsyncWaitOp, [group], ttg.async_token, num)
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

    def _issue(self, builder: Builder) -> OpResult:
        """Create the copy; return its commit group."""
        load = self.load
        view = select_buffer(builder, self.buffers, self.indices.insert)
        optionals = [value for value in (load.mask, load.other) if value is not None]
        sizes = (1, 1, int(load.mask is not None), int(load.other is not None))
        properties = {
            "operandSegmentSizes": attributes.array_i32(sizes),
            "contiguity": attributes.integer(self.async_load.contiguity, types.i32),
            **{name: load.properties[name] for name in ("cache", "evict", "isVolatile")},
        }
        copy = builder.value(
            ttg.AsyncCopyGlobalToLocalOp,
            [load.ptr, view, *optionals],
            ttg.async_token,
            properties,
        )
        return builder.value(ttg.AsyncCommitGroupOp, [copy], ttg.async_token)


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
