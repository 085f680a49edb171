"""Lower the pipelined loads through tensor descriptors of a loop to TMA copies.

Before:  scf.for … {                       After:  %bars = ttg.local_alloc … 2x1xi64
           %a = tt.descriptor_load %d              ttng.init_barrier of both
           %b = tt.descriptor_load %e              scf.for … iter_args(…, %phase = 0) {
           … %a, %b                                  %x = ttg.memdesc_index %bars[%in]
         }                                           ttng.barrier_expect %x, 16384, %true
                                                     ttng.async_tma_copy_global_to_local %d, %x
                                                     ttng.async_tma_copy_global_to_local %e, %x
                                                     %y = ttg.memdesc_index %bars[%out]
                                                     ttng.wait_barrier %y, %phase
                                                     … the buffers of %a and %b
                                                   }
                                                   ttng.inval_barrier of both

Neighbouring loads of one stage and cluster share an mbarrier, which expects the bytes of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from msgspec import Struct

from weft.analysis.buffer_size import shape_per_cta
from weft.ir import attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import erase
from weft.layouts import Encoding
from weft.passes.loops.pipeline.async_loads import AsyncLoad, first_use, must_load_to_registers
from weft.passes.pipelining.buffers.mbarriers import allocate_barriers
from weft.passes.pipelining.buffers.multi_buffers import replace_uses_with_local_load, select_buffer
from weft.passes.pipelining.loads.shared_encodings import is_descriptor_load
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.pipelining.schedule.stage_builder import StageBuilder
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = ["Barrier", "BufferIndices", "create_barriers", "lower_tma_load"]


class BufferIndices(Struct, frozen=True, eq=False):
    """Which buffers an iteration uses.

    Attributes:
        insert: The index of the buffer that it writes.
        extract: The index of the buffer that it reads.
        phase: The phase of the mbarrier of the buffer that it reads; None without mbarriers.
    """

    insert: OpResult
    extract: OpResult
    phase: OpResult | None = None


class Barrier(Struct, frozen=True, eq=False):
    """The mbarrier of a TMA copy.

    Attributes:
        view: The mbarrier on which the copy arrives.
        wait: The wait for the copy.
    """

    view: OpResult
    wait: ttng.WaitBarrierOp


def create_barriers(
    loop: scf.ForOp,
    loads: Mapping[Operation, AsyncLoad],
    indices: Mapping[int, BufferIndices],
    schedule: LoopSchedule,
) -> dict[Operation, Barrier]:
    """Create the mbarriers for the loads through descriptors, and the waits for them."""
    barriers: dict[Operation, Barrier] = {}
    for group in _groups(loads, schedule):
        count = loads[group[0]].buffers
        phase = indices[count].phase
        assert phase is not None
        allocation = allocate_barriers(loop, count)
        builder = StageBuilder(schedule, schedule[group[0]])
        builder.before(group[0])
        builder.location = loop.location
        view = select_buffer(builder, allocation, indices[count].insert)
        size = sum(_size_in_bytes(load, loads[load].encoding) for load in group)
        true = builder.constant(True, types.i1)
        builder.create(
            ttng.BarrierExpectOp, [view, true], (), {"size": attributes.integer(size, types.i32)}
        )
        builder.after(group[-1])
        builder.location = loop.location
        builder.position = schedule[first_use(group, loop, schedule)]
        waited = select_buffer(builder, allocation, indices[count].extract)
        segments = {"operandSegmentSizes": attributes.array_i32((1, 1, 0, 0))}
        wait = builder.create(ttng.WaitBarrierOp, [waited, phase], (), segments)
        barriers |= dict.fromkeys(group, Barrier(view, wait))
    return barriers


def lower_tma_load(
    load: Operation,
    loop: scf.ForOp,
    buffers: SSAValue,
    indices: BufferIndices,
    barrier: Barrier,
    schedule: LoopSchedule,
) -> None:
    """Replace a load through a descriptor by a TMA copy and a load from its buffer."""
    use = first_use([load], loop, schedule)
    builder = StageBuilder(schedule, schedule[load])
    builder.before(load)
    view = select_buffer(builder, buffers, indices.insert)
    true = builder.constant(True, types.i1)
    if isinstance(load, tt.DescriptorLoadOp):
        coordinates = list(load.indices)
        sizes = (1, len(coordinates), 0, 1, 1, 1)
        builder.create(
            ttng.AsyncTMACopyGlobalToLocalOp,
            [load.desc, *coordinates, barrier.view, view, true],
            (),
            {"operandSegmentSizes": attributes.array_i32(sizes)},
        )
    else:
        assert isinstance(load, tt.DescriptorGatherOp)
        operands = [load.desc, load.x_offsets, load.y_offset, barrier.view, view, true]
        builder.create(ttng.AsyncTMAGatherOp, operands)
    builder.after(barrier.wait)
    builder.location = load.location
    builder.position = schedule[use]
    buffer = select_buffer(builder, buffers, indices.extract)
    replace_uses_with_local_load(builder, load.results[0], buffer)
    schedule.erase(load)
    erase(load)


def _groups(loads: Mapping[Operation, AsyncLoad], schedule: LoopSchedule) -> list[list[Operation]]:
    """Group loads through descriptors that can share an mbarrier.

    A group has one number of buffers, stage and cluster, and no use between its loads.
    """
    groups: list[list[Operation]] = []
    grouped: set[Operation] = set()
    for load, async_load in loads.items():
        if not is_descriptor_load(load) or load in grouped:
            continue
        group = [load]
        group_users = _users_in_block(load)
        op = load.next_op
        while op is not None and op not in group_users and op not in grouped:
            if is_descriptor_load(op) and op in loads:
                if loads[op].buffers != async_load.buffers:
                    break
                if schedule[op] == schedule[load]:
                    group.append(op)
                    grouped.add(op)
                    group_users |= _users_in_block(op)
            op = op.next_op
        grouped.add(load)
        groups.append(group)
    return groups


def _users_in_block(load: Operation) -> set[Operation]:
    """Find the operations of a load's block that use the tile; those of a buffer that stays."""
    block = load.parent
    assert block is not None
    users: set[Operation] = set()
    for use in load.results[0].uses:
        user = use.operation
        if not must_load_to_registers(load) and user.parent is block:
            users.update(inner.operation for inner in user.results[0].uses)
        elif (ancestor := ancestor_in_block(user, block)) is not None:
            users.add(ancestor)
    return users


def _size_in_bytes(load: Operation, encoding: Encoding) -> int:
    """Compute the size of the part of a tile that one CTA copies to a buffer of an encoding.

    It is the whole tile if uses of the descriptor disagree on how CTAs divide it. Triton 3.7.1
    expects the part that the load's result has in a CTA, and waits forever for such a kernel.
    """
    type_ = load.results[0].type
    tile = ttg.MemDescType.of(
        types.shape(type_), types.element(type_), encoding, ttg.SharedMemoryAttr()
    )
    elements = prod(shape_per_cta(tile))
    return elements * types.bit_width(type_) // 8
