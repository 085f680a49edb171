"""Lower the pipelined MMAs of Blackwell: start them, and wait for them on an mbarrier later.

Before:  scf.for … {                                After:  %bars = ttg.local_alloc … 2x1xi64
           ttng.tc_gen5_mma %a, %b, %m                      scf.for … iter_args(%p = 0, %i = 0) {
         }                                                    %bar = ttg.memdesc_index %bars[%i]
                                                              ttng.tc_gen5_mma %a, %b, %m, …, %bar
                                                              ttng.wait_barrier %bar, %p deps %a, %b
                                                              scf.yield (%p flips if %i wraps), …
                                                            }

The wait is in the stage where the operands are overwritten or the accumulator is read: in the
pipelined loop it belongs to an earlier iteration than the MMA before it. The number of stages
between the MMA and its wait, plus one, is the number of mbarriers.

With one stage between them, %p and %i of four iterations are

    iteration    0  1  2  3
    %i           0  1  0  1        the mbarrier that the MMA arrives on, and its wait waits for
    %p           0  0  1  1        the phase, which flips each time that %i wraps

If an accumulator is read while the next MMA runs, it gets several buffers (see `tmem_buffers`).

Source: Triton, lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp.
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import arith, attributes, scf, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue, UnitAttr
from weft.ir.rewriting import Builder, clone, defining_op, erase, set_type, walk_inner_first
from weft.passes.loops.pipeline.tmem_buffers import multi_buffer_accumulator, reads_initial_value
from weft.passes.pipelining.blackwell.mma_v5 import MMAS, Mma, MmaOperands, operands_of
from weft.passes.pipelining.buffers.mbarriers import allocate_barriers
from weft.passes.pipelining.buffers.multi_buffers import (
    increment_modulo,
    replace_view_uses,
    select_buffer,
)
from weft.passes.pipelining.loop_queries import is_inside
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.schedule.cluster_list import Cluster
from weft.passes.pipelining.schedule.latencies import take_self_latency
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.pipelining.schedule.stage_builder import StageBuilder
from weft.passes.rewrite.nesting import ancestor_in_block
from weft.passes.rewrite.operands import append_operands, set_operand

__all__ = ["lower_mmas"]

_PHASE, _BARRIER, _BUFFER = range(3)
"""The new iter_args: the phase of the mbarrier, its index, and the index of the accumulator."""


def lower_mmas(loop: scf.ForOp, schedule: LoopSchedule) -> scf.ForOp:
    """Lower the MMAs of a loop that have a self latency.

    Args:
        loop: The loop.
        schedule: Its schedule; new operations are added.

    Returns:
        The loop, or what replaces it.

    Raises:
        PassError: An accumulator that needs several buffers cannot change from one to another.
    """
    for op in list(walk_inner_first(loop)):
        if isinstance(op, MMAS):
            loop = _lower(op, loop, schedule)
    return loop


def _lower(mma: Mma, loop: scf.ForOp, schedule: LoopSchedule) -> scf.ForOp:
    self_latency = take_self_latency(mma)
    if self_latency == 0:
        return loop
    accumulator = mma.d
    buffers = _accumulator_buffers(accumulator, loop, schedule)
    allocation = defining_op(accumulator, ttng.TMEMAllocOp)
    if buffers > 1 and allocation is None:
        return loop
    builder = Builder().before(loop)
    minus_one, zero = (builder.constant(number, types.i32) for number in (-1, 0))
    first = len(loop.iter_args)
    inits = [zero, zero]
    if buffers > 1:
        assert allocation is not None
        inits.append(zero if reads_initial_value(allocation, loop) else minus_one)
    loop = add_iter_args(loop, inits)
    for index in range(first, len(loop.iter_args)):
        loop.terminator.operands[index] = loop.iter_args[index]
    _make_async(mma, loop, schedule, self_latency, first)
    if buffers > 1:
        assert allocation is not None
        multi_buffer_accumulator(allocation, loop, schedule, first + _BUFFER, buffers)
    return loop


def _accumulator_buffers(accumulator: SSAValue, loop: scf.ForOp, schedule: LoopSchedule) -> int:
    """Compute how many iterations use an accumulator at the same time."""
    users = [
        ancestor
        for use in accumulator.uses
        if (ancestor := ancestor_in_block(use.operation, loop.block)) is not None
    ]
    first = last = users[0]
    for user in users[1:]:
        if schedule.is_before(user, first):
            first = user
        if schedule.is_before(last, user):
            last = user
    buffers = schedule.stage(last) - schedule.stage(first)
    # The first access of the next iteration may run before the last one of this iteration.
    order = schedule.cluster(last).index - schedule.cluster(first).index
    if order > 0 or (order == 0 and first is not last and first.is_before_in_block(last)):
        buffers += 1
    return buffers


# ----------------------------------------------------------------------------------- barriers
class _Wait(Struct, frozen=True, eq=False):
    """Where to wait for an MMA.

    Attributes:
        stage: The stage.
        cluster: The cluster.
    """

    stage: int
    cluster: Cluster


def _make_async(
    mma: Mma, loop: scf.ForOp, schedule: LoopSchedule, self_latency: int, first: int
) -> None:
    """Let an MMA arrive on an mbarrier, and wait on it.

    Args:
        mma: The MMA.
        loop: The loop, with iter_args for the phase and the index of the mbarrier.
        schedule: Its schedule.
        self_latency: The stages between the MMA and its wait if no operation needs an earlier one.
        first: The index of the first of these iter_args.
    """
    wait = _place_wait(mma, loop, schedule, self_latency)
    count = wait.stage - schedule.stage(mma) + 1
    builder = StageBuilder(schedule, schedule[mma])
    builder.before(mma)
    barriers = allocate_barriers(loop, count)
    true = builder.constant(True, types.i1)
    zero, one, modulus = (builder.constant(number, types.i32) for number in (0, 1, count))
    phase = loop.iter_args[first + _PHASE]
    index = loop.iter_args[first + _BARRIER] if count > 1 else zero
    barrier = select_buffer(builder, barriers, index)
    append_operands(mma, "barriers", barrier)
    append_operands(mma, "barrier_preds", true)
    mma.properties["is_async"] = UnitAttr()
    builder.after(mma)
    builder.location = mma.location
    builder.position = (wait.stage, wait.cluster)
    _create_wait(builder, barrier, phase, mma)
    _wait_in_conditionals(builder, barrier, phase, mma, loop, schedule, wait.stage)
    builder.before(loop.terminator)
    builder.location = mma.location
    builder.position = schedule[mma]
    flipped = builder.value(arith.XOrIOp, [phase, one], types.i32)
    if count == 1:
        loop.terminator.operands[first + _PHASE] = flipped
        return
    increment = increment_modulo(builder, index, modulus, zero, one)
    phase = builder.value(arith.SelectOp, [increment.wraps, flipped, phase], types.i32)
    loop.terminator.operands[first + _PHASE] = phase
    loop.terminator.operands[first + _BARRIER] = increment.value


def _wait_in_conditionals(
    builder: StageBuilder,
    barrier: SSAValue,
    phase: SSAValue,
    mma: Mma,
    loop: scf.ForOp,
    schedule: LoopSchedule,
    stage: int,
) -> None:
    """Wait before loads of the accumulator in conditionals that run before the wait of the loop.

    Args:
        builder: Creates the waits; its position changes.
        barrier: The mbarrier.
        phase: Its phase.
        mma: The MMA.
        loop: The loop.
        schedule: Its schedule.
        stage: The stage of the wait of the loop.
    """
    for use in mma.d.uses:
        load = use.operation
        if not isinstance(load, ttng.TMEMLoadOp) or load.parent is mma.parent:
            continue
        conditional = ancestor_in_block(load, loop.block)
        if conditional is not None and schedule.stage(conditional) < stage:
            builder.before(load)
            builder.location = mma.location
            builder.position = schedule[conditional]
            _create_wait(builder, barrier, phase, mma)


def _create_wait(builder: Builder, barrier: SSAValue, phase: SSAValue, mma: Mma) -> None:
    """Create the wait for an MMA, which keeps the buffers that the MMA reads alive."""
    buffers = [mma.a, mma.b]
    if isinstance(mma, ttng.TCGen5MMAScaledOp):
        buffers += [mma.a_scale, mma.b_scale]
    sizes = {"operandSegmentSizes": attributes.array_i32((1, 1, 0, len(buffers)))}
    builder.create(ttng.WaitBarrierOp, [barrier, phase, *buffers], (), sizes)


def _place_wait(mma: Mma, loop: scf.ForOp, schedule: LoopSchedule, self_latency: int) -> _Wait:
    """Find the stage and cluster in which the result or the operands of an MMA are needed.

    Operands that are written in the loop get a buffer before it.
    """

    def is_pipelined(load: Operation) -> bool:
        return schedule.stage(mma) > schedule.stage(load)

    users = [use.operation for use in mma.d.uses]
    conflicts: set[Operation] = {
        user for user in users if isinstance(user, ttng.TMEMLoadOp) and user.parent is mma.parent
    }
    operands = operands_of(mma, loop, is_pipelined)
    conflicts |= _writes(operands, loop, schedule)
    following = schedule.following(loop, mma)
    conflict = next((op for op in following if op in conflicts), None)
    stage, cluster = schedule[mma]
    if conflict is None or not operands.is_known:
        return _Wait(stage + self_latency, cluster)
    # A conflict that is earlier in the loop's body belongs to the next iteration.
    is_next = schedule.is_before(conflict, mma)
    stage = stage + 1 if is_next else schedule.stage(conflict)
    cluster = schedule.split_cluster_before(conflict, loop)
    return _Wait(stage, schedule.clusters.insert_before(cluster))


def _writes(operands: MmaOperands, loop: scf.ForOp, schedule: LoopSchedule) -> set[Operation]:
    """Hoist the buffers of operands out of the loop, and find the operations that write them."""
    writes: set[Operation] = set()
    for op in dict.fromkeys(operands.blocking):
        store = _hoist_buffer(op, loop, schedule)
        if not operands.is_pipelined and operands.is_known:
            writes.add(store or op)
    return writes


def _hoist_buffer(op: Operation, loop: scf.ForOp, schedule: LoopSchedule) -> Operation | None:
    """Hoist an allocation with an initial value out of a loop.

    Returns:
        The store of the value in the loop, None if the operation is no such allocation.
    """
    if not isinstance(op, ttg.LocalAllocOp | ttng.TMEMAllocOp) or op.src is None:
        return None
    if not is_inside(op, loop):
        return None
    builder = StageBuilder(schedule)
    builder.before(loop)
    builder.location = op.location
    allocation = clone(op, {})
    assert isinstance(allocation, ttg.LocalAllocOp | ttng.TMEMAllocOp)
    builder.insert(allocation)
    buffer = allocation.results[0]
    type_ = buffer.type
    assert isinstance(type_, ttg.MemDescType)
    assert type_.encoding is not None
    mutable_type = ttg.MemDescType.of(
        type_.shape, type_.element_type, type_.encoding, type_.memory_space, mutable=True
    )
    set_type(buffer, mutable_type)
    set_operand(allocation, "src", None)
    builder.after(op)
    builder.location = op.location
    builder.position = schedule[op]
    if isinstance(op, ttng.TMEMAllocOp):
        true = builder.constant(True, types.i1)
        store = builder.create(ttng.TMEMStoreOp, [buffer, op.src, true])
    else:
        store = builder.create(ttg.LocalStoreOp, [op.src, buffer])
    replace_view_uses(builder, op, buffer)
    schedule.erase(op)
    erase(op)
    return store
