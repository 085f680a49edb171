"""Lower a reference to buffers and two arrays of mbarriers.

The writer waits until a buffer is empty, the reader until it is full. With two buffers:

    put      wait empty[0]   fill 0   wait empty[1]   fill 1   wait empty[0]   fill 0
                                |                        |         ^              |
                             full[0]                  full[1]   empty[0]       full[0]
                                v                        v         |              v
    get                      wait full[0]   read 0  ---------------+  wait full[1]   read 1

The first wait for each empty buffer passes, because it is for the phase before the initial one.

nvws.aref.put.enter %r[%n, %p]       ttng.wait_barrier %empty[%n], %p
nvws.descriptor_load %d[…] … %b      ttng.barrier_expect %full[%n], 16384
                                     ttng.async_tma_copy_global_to_local …, %full[%n]
nvws.aref.put.exit %r[%n] [none]     ttng.arrive_barrier %full[%n]
nvws.aref.get.enter %r[%n, %p]       ttng.wait_barrier %full[%n], %p
nvws.aref.get.exit %r[%n] [tc5mma]   ttng.tc_gen5_commit %empty[%n]
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from weft.errors import PassError
from weft.ir import attributes, locations, nvws, ttg, ttng, types, ub
from weft.ir.builtin import SSAValue
from weft.ir.rewriting import Builder, erase, set_type
from weft.passes.nvws.lower_aref.async_mmas import make_async, mmas_that_read
from weft.passes.pipelining.buffers.mbarriers import create_barriers, deallocate_barriers
from weft.passes.pipelining.buffers.multi_buffers import select_buffer
from weft.passes.pipelining.loop_queries import is_memdesc_view
from weft.passes.pipelining.partitions.arefs import depth_of, kinds_of, last_in_block
from weft.passes.pipelining.partitions.attributes import (
    Placement,
    has_partition,
    partition_ids,
    placement_of,
)

__all__ = ["lower_aref"]

_Exit = nvws.ArefPutExitOp | nvws.ArefGetExitOp
_Load = nvws.DescriptorLoadOp | nvws.DescriptorGatherOp
_ARRIVING = {"none", "wgmma"}  # the threads arrive themselves
_COMMITTED = {"tc5mma", "tmem_copy"}  # the tensor core arrives


class _Lowered(Struct, frozen=True):
    """What a reference becomes.

    Attributes:
        buffers: The multi-buffers.
        empty: The mbarriers of buffers that can be written.
        full: The mbarriers of buffers that can be read.
    """

    buffers: tuple[SSAValue, ...]
    empty: SSAValue
    full: SSAValue


def lower_aref(aref: nvws.ArefCreateOp, num_stages: int) -> None:
    """Lower a reference and the operations on it.

    Args:
        aref: The reference.
        num_stages: The number of stages of loops without `tt.num_stages`.

    Raises:
        PassError: Another operation uses the reference.
    """
    lowered = _create_barriers(aref)
    users = [use.operation for use in aref.result.uses]
    mmas = mmas_that_read(aref)
    for user in users:
        match user:
            case nvws.ArefPutEnterOp():
                if _lower_put_enter(user, lowered):
                    for mma in mmas:
                        make_async(mma, num_stages)
            case nvws.ArefGetEnterOp():
                _lower_get_enter(user, lowered)
            case nvws.ArefPutExitOp() | nvws.ArefGetExitOp():
                _lower_exit(user, lowered)
            case nvws.ArefBufferOp():
                views = _views(Builder().after(user), lowered, user.stage, placement_of(user))
                _replace(user.results, views)
            case _:
                raise PassError(
                    "unsupported user of an asynchronous reference",
                    location=locations.position(user.location),
                    found=user.name,
                    accepted=["nvws.aref.put.*", "nvws.aref.get.*", "nvws.aref.buffer"],
                )
    poison = Builder().before(aref).value(ub.PoisonOp, (), ttg.async_token)
    for user in users:
        if isinstance(user, nvws.ArefPutEnterOp | nvws.ArefGetEnterOp):
            user.results[-1].replace_all_uses_with(poison)
    for user in users:
        erase(user)
    erase(aref)


# ------------------------------------------------------------------------------ mbarriers
def _create_barriers(aref: nvws.ArefCreateOp) -> _Lowered:
    """Create the mbarriers before a reference, and invalidate them after its last user."""
    assert aref.parent is not None
    before = Builder().before(aref)
    after = Builder().after(last_in_block((use.operation for use in aref.result.uses), aref.parent))
    depth = depth_of(aref.operands[0].type)
    empty = create_barriers(before, aref, depth, _count_arrivals(aref, nvws.ArefGetExitOp))
    deallocate_barriers(after, empty, depth)
    full = create_barriers(before, aref, depth, _count_arrivals(aref, nvws.ArefPutExitOp))
    deallocate_barriers(after, full, depth)
    return _Lowered(tuple(aref.operands), empty, full)


def _count_arrivals(aref: nvws.ArefCreateOp, kind: type[_Exit]) -> int:
    """Count the signals that complete a phase: those of one access in each partition."""
    kinds: dict[int, int] = {}
    for use in aref.result.uses:
        if isinstance(use.operation, kind) and has_partition(use.operation):
            kinds.setdefault(partition_ids(use.operation)[0], len(kinds_of(use.operation)))
    return sum(kinds.values()) or 1


def _barrier(
    builder: Builder, array: SSAValue, stage: SSAValue | None, where: Placement
) -> SSAValue:
    """Select the mbarrier of a stage."""
    assert stage is not None
    view = select_buffer(builder, array, stage)
    where.assign(view.op)
    return view


def _wait(
    builder: Builder, barriers: SSAValue, op: nvws.ArefPutEnterOp | nvws.ArefGetEnterOp
) -> None:
    """Wait for the phase of an access."""
    where = placement_of(op)
    barrier = _barrier(builder, barriers, op.stage, where)
    assert op.phase is not None
    where.create(
        builder,
        ttng.WaitBarrierOp,
        [barrier, op.phase],
        properties={"operandSegmentSizes": attributes.array_i32((1, 1, 0, 0))},
    )


def _views(
    builder: Builder, lowered: _Lowered, stage: SSAValue | None, where: Placement
) -> list[SSAValue]:
    """Select the buffers of a stage."""
    assert stage is not None
    views: list[SSAValue] = []
    for buffers in lowered.buffers:
        assert isinstance(buffers.type, ttg.MemDescType)
        if depth_of(buffers.type) != buffers.type.shape[0]:
            views.append(buffers)  # scales of an MMA have a single buffer
            continue
        view = select_buffer(builder, buffers, stage)
        where.assign(view.op)
        views.append(view)
    return views


def _replace(results: Iterable[SSAValue], views: Iterable[SSAValue]) -> None:
    for result, view in zip(results, views, strict=False):
        result.replace_all_uses_with(view)


# ------------------------------------------------------------------------------ accesses
def _lower_put_enter(op: nvws.ArefPutEnterOp, lowered: _Lowered) -> bool:
    """Lower the entry of a put; return whether the data is loaded asynchronously."""
    where = placement_of(op)
    builder = Builder().after(op)
    _wait(builder, lowered.empty, op)
    views = _views(builder, lowered, op.stage, where)
    users = (use.operation for use in op.results[-1].uses)
    leave = next((user for user in users if isinstance(user, nvws.ArefPutExitOp)), None)
    kinds = kinds_of(leave) if leave is not None else []
    if "tma_load" in kinds:
        barrier = _barrier(builder, lowered.full, op.stage, where)
        _lower_loads(builder, op, barrier)
    _replace(op.results[:-1], views)
    return "tma_load" in kinds or "cp_async" in kinds


def _lower_loads(builder: Builder, op: nvws.ArefPutEnterOp, barrier: SSAValue) -> None:
    """Load the buffers of a put by TMA, which signals the mbarrier."""
    loads = [
        use.operation
        for buffer in op.results[:-1]
        for use in buffer.uses
        if isinstance(use.operation, _Load)
    ]
    if not loads:
        return
    where = placement_of(op)
    size = sum(load.txCount.value.data for load in loads)
    true = where.constant(builder, True, types.i1)
    where.create(
        builder,
        ttng.BarrierExpectOp,
        [barrier, true],
        properties={"size": attributes.integer(size, types.i32)},
    )
    for load in loads:
        before = Builder().before(load)
        where = placement_of(load)
        if isinstance(load, nvws.DescriptorLoadOp):
            coordinates = list(load.indices)
            where.create(
                before,
                ttng.AsyncTMACopyGlobalToLocalOp,
                [load.desc, *coordinates, barrier, load.result, true],
                properties={
                    "operandSegmentSizes": attributes.array_i32((1, len(coordinates), 0, 1, 1, 1))
                },
            )
        else:
            operands = [load.desc, load.x_offsets, load.y_offset, barrier, load.result, true]
            where.create(before, ttng.AsyncTMAGatherOp, operands)
        erase(load)


def _lower_get_enter(op: nvws.ArefGetEnterOp, lowered: _Lowered) -> None:
    """Lower the entry of a get."""
    builder = Builder().after(op)
    _wait(builder, lowered.full, op)
    views = _views(builder, lowered, op.stage, placement_of(op))
    _replace(op.results[:-1], views)
    for view in views:
        _make_views_mutable(view)


def _make_views_mutable(buffer: SSAValue) -> None:
    """Make views of a buffer mutable; a get gave an immutable one."""
    for use in buffer.uses:
        if is_memdesc_view(use.operation):
            view = use.operation.results[0]
            type_ = view.type
            assert isinstance(type_, ttg.MemDescType)
            assert type_.encoding is not None
            new_type = ttg.MemDescType.of(
                type_.shape, type_.element_type, type_.encoding, type_.memory_space, mutable=True
            )
            set_type(view, new_type)
            _make_views_mutable(view)


def _lower_exit(op: _Exit, lowered: _Lowered) -> None:
    """Lower the exit of a put or get: signal the other side."""
    where = placement_of(op)
    builder = Builder().after(op)
    if _needs_fence(op, lowered):
        where.create(
            builder,
            ttng.FenceAsyncSharedOp,
            properties={"bCluster": attributes.boolean(False)},
        )
    array = lowered.full if isinstance(op, nvws.ArefPutExitOp) else lowered.empty
    barrier = _barrier(builder, array, op.stage, where)
    for kind in kinds_of(op):
        if kind in _ARRIVING:
            count = {"count": attributes.integer(1, types.i32)}
            where.create(builder, ttng.ArriveBarrierOp, [barrier], properties=count)
        elif kind in _COMMITTED:
            segments = {"operandSegmentSizes": attributes.array_i32((1, 0, 0))}
            where.create(builder, ttng.TCGen5CommitOp, [barrier], properties=segments)
        elif kind != "tma_load":  # TMA arrives itself
            raise PassError(
                "unsupported asynchronous operation of a partition",
                location=locations.position(op.location),
                found=kind,
                accepted=sorted({*_ARRIVING, *_COMMITTED, "tma_load"}),
                hint="use one of the accepted operations",
            )


def _needs_fence(op: _Exit, lowered: _Lowered) -> bool:
    """Check whether one side accesses shared memory by the generic, the other by the async proxy.

    That is the case for stores that an MMA reads, and for loads before TMA writes.
    """
    if "none" not in kinds_of(op):
        return False
    memory = lowered.buffers[0].type
    assert isinstance(memory, ttg.MemDescType)
    if isinstance(op, nvws.ArefPutExitOp):
        other, async_kind = nvws.ArefGetExitOp, "tc5mma"
        if not isinstance(memory.memory_space, ttg.SharedMemoryAttr):
            return False
    else:
        other, async_kind = nvws.ArefPutExitOp, "tma_load"
    return any(
        async_kind in kinds_of(use.operation)
        for use in op.aref.uses
        if isinstance(use.operation, other)
    )
