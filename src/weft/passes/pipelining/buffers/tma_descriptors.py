"""Multi-buffer tensor descriptors that a loop makes.

Before:  scf.for … {                       After:  %m = ttg.global_scratch_alloc   2 * 128 bytes
           %d = tt.make_tensor_descriptor          scf.for … iter_args(%i = %c0) {
           … %d                                      %p = tt.addptr %m, 128 * %i
         }                                           ttng.tensormap_create %p, …
                                                     ttng.tensormap_fenceproxy_acquire %p
                                                     %d = ttng.reinterpret_tensor_descriptor %p
                                                     … %d
                                                     scf.yield (%i + 1) mod 2
                                                   }

TMA reads a descriptor while a copy runs, so iterations in flight need descriptors in different
memory. Source: Triton, PipeliningUtility.cpp (lowerTMADescriptors).
"""

from __future__ import annotations

from weft.ir import arith, attributes, scf, tt, ttg, ttng, types
from weft.ir.builtin import OpResult, SSAValue
from weft.ir.rewriting import Builder, erase, walk_inner_first
from weft.passes.pipelining.buffers.multi_buffers import increment_modulo
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule
from weft.passes.pipelining.schedule.stage_builder import StageBuilder
from weft.passes.pipelining.sink_redefinition import sink_redefinition
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.rewrite.tensor_map import DESCRIPTOR_BYTES, create_tensor_map

__all__ = ["lower_tma_descriptors"]


def lower_tma_descriptors(loop: scf.ForOp, schedule: LoopSchedule) -> scf.ForOp:
    """Write the descriptors that a loop makes to one of several buffers in global memory.

    Args:
        loop: The loop.
        schedule: Its schedule; new operations are added.

    Returns:
        The loop, or what replaces it.
    """
    descriptors = [op for op in walk_inner_first(loop) if isinstance(op, tt.MakeTensorDescOp)]
    if not descriptors:
        return loop
    count = schedule.num_stages - 1
    # A wgmma runs into the next iteration, which makes the pipeline one stage longer.
    count += any(isinstance(op, ttng.WarpGroupDotOp) for op in loop.block.ops)
    builder = Builder().before(loop)
    memories = [_allocate(Builder(op.location).restore(builder.place), count) for op in descriptors]
    zero, one = builder.constant(0, types.i32), builder.constant(1, types.i32)
    first = len(loop.iter_args)
    loop = add_iter_args(loop, [zero] * len(descriptors))
    modulus = Builder().before(loop).constant(count, types.i32)
    for index, (op, memory) in enumerate(zip(descriptors, memories, strict=True), first):
        counter = loop.iter_args[index]
        _write_descriptor(op, memory, counter, schedule)
        builder = StageBuilder(schedule, schedule.get(op))
        builder.before(op)
        following = increment_modulo(builder, counter, modulus, zero, one).value
        block = op.parent
        assert block is not None
        region = block.parent
        assert region is not None
        new_value = sink_redefinition(counter, following, block, Rewriter(region))
        loop.terminator.operands[index] = new_value
        schedule.erase(op)
        erase(op)
    return loop


def _allocate(builder: Builder, count: int) -> OpResult:
    properties = {
        "nbytes": attributes.integer(count * DESCRIPTOR_BYTES, types.i32),
        "alignment": attributes.integer(DESCRIPTOR_BYTES, types.i32),
    }
    return builder.value(ttg.GlobalScratchAllocOp, (), types.pointer(types.i8), properties)


def _write_descriptor(
    op: tt.MakeTensorDescOp, memory: SSAValue, counter: SSAValue, schedule: LoopSchedule
) -> None:
    """Write a descriptor to the memory of an iteration, and replace its uses."""
    position = schedule.get(op)
    builder = StageBuilder(schedule, position)
    builder.before(op)
    size = builder.constant(DESCRIPTOR_BYTES, types.i32)
    offset = builder.value(arith.MulIOp, [size, counter], types.i32)
    pointer = builder.value(tt.AddPtrOp, [memory, offset], memory.type)
    previous = op.prev_op
    region = op.parent_region()
    assert region is not None
    create_tensor_map(op, pointer, Rewriter(region))
    if position is not None:
        created = previous.next_op if previous is not None else None
        while created is not None and created is not op:
            schedule.insert(created, *position)
            created = created.next_op
    builder.create(ttng.TensormapFenceproxyAcquireOp, [pointer])
    descriptor = builder.value(ttng.ReinterpretTensorDescOp, [pointer], op.result.type)
    op.result.replace_all_uses_with(descriptor)
