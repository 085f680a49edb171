"""Lower tokens to mbarriers.

    nvws.producer_acquire %t, %i, %phase   →   ttng.wait_barrier %empty[%i], %phase xor 1
    nvws.consumer_release %t, %i           →   ttng.arrive_barrier %empty[%i], 128

Each token has an mbarrier per buffer for "full" and one for "empty". An mbarrier that has just been
initialized is in phase 0; the wait of the first round asks for the phase before it, so that it
passes. Here TMA copies arrive on other mbarriers (`channel_buffers`), so "full" has no users.
Source: Triton, WSLowerToken.cpp.
"""

from __future__ import annotations

from weft.ir import arith, attributes, nvws, tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.locations import location_of
from weft.ir.rewriting import Builder, walk_inner_first
from weft.passes.nvidia.warp_specialization.task_ids import set_tasks, tasks_of
from weft.passes.pipelining.buffers.mbarriers import init_barrier
from weft.passes.pipelining.buffers.multi_buffers import buffer_array_type, select_buffer
from weft.passes.rewrite.mbarrier import mbarrier_type
from weft.passes.rewrite.nesting import replace_uses_in_region

__all__ = ["lower_tokens"]

_THREADS = 128  # of a consumer: four warps
_LOCAL = 1  # the address space that the barrier orders: shared memory


def lower_tokens(function: tt.FuncOp) -> None:
    """Replace the tokens of a function by mbarriers."""
    creations = [op for op in walk_inner_first(function) if isinstance(op, nvws.CreateTokenOp)]
    arrays = {op: _create_mbarriers(op) for op in creations}
    for op, (_, empty) in arrays.items():
        for use in list(op.result.uses):
            if isinstance(use.operation, ttg.WarpSpecializePartitionsOp):
                for region in use.operation.regions:
                    argument = region.block.args[use.index]
                    for inner in [each.operation for each in argument.uses]:
                        _lower(inner, empty)
            else:
                _lower(use.operation, empty)
    for op, (full, empty) in arrays.items():
        for use in list(op.result.uses):
            assert isinstance(use.operation, ttg.WarpSpecializePartitionsOp)
            _recapture(use.operation, use.index, (full, empty))
        op.detach()
        op.erase()


def _create_mbarriers(op: nvws.CreateTokenOp) -> tuple[SSAValue, SSAValue]:
    """Allocate and initialize the mbarriers "full" and "empty" of a token."""
    builder = Builder().before(op)
    count = op.numBuffers.value.data
    memory = buffer_array_type(mbarrier_type(op), count)
    full = builder.value(ttg.LocalAllocOp, (), memory)
    empty = builder.value(ttg.LocalAllocOp, (), memory)
    for position in range(count):
        index = builder.constant(position, types.i32)
        for array, arrivals in ((full, 1), (empty, _THREADS)):
            init_barrier(builder, array, index, arrivals)
    builder.create(ttg.BarrierOp, (), (), {"addrSpace": attributes.integer(_LOCAL, types.i32)})
    return full, empty


def _lower(op: Operation, empty: SSAValue) -> None:
    """Lower a wait for a buffer, or the signal that it is free."""
    builder = Builder().before(op)
    tasks = tasks_of(op)
    view = select_buffer(builder, empty, op.operands[1])
    set_tasks(view.op, tasks)
    if isinstance(op, nvws.ProducerAcquireOp):
        one = builder.constant(True, types.i1)
        phase = builder.value(arith.XOrIOp, [op.phase, one], types.i1)
        phase = builder.value(arith.ExtUIOp, [phase], types.i32)
        segments = {"operandSegmentSizes": attributes.array_i32((1, 1, 0, 0))}
        new_op: Operation = builder.create(ttng.WaitBarrierOp, [view, phase], (), segments)
    else:
        assert isinstance(op, nvws.ConsumerReleaseOp)
        properties = {"count": attributes.integer(_THREADS, types.i32)}
        new_op = builder.create(ttng.ArriveBarrierOp, [view], (), properties)
    set_tasks(new_op, tasks)
    op.detach()
    op.erase()


def _recapture(
    partitions: ttg.WarpSpecializePartitionsOp, index: int, arrays: tuple[SSAValue, SSAValue]
) -> None:
    """Capture mbarriers instead of a token."""
    operands = list(partitions.operands)
    del operands[index]
    partitions.operands = [*operands, *arrays]
    for region in partitions.regions:
        region.block.erase_arg(region.block.args[index])
        for array in arrays:
            argument = region.block.insert_arg(array.type, len(region.block.args))
            argument.location = location_of(array)
            replace_uses_in_region(array, argument, region)
