"""Lower asynchronous references to buffers and mbarriers (nvws-lower-aref).

Before:  %r = nvws.aref.create %m
         scf.for … {
           %b, %t = nvws.aref.put.enter %r                {partition 2}
           nvws.descriptor_load %d[…] 16384 %b
           nvws.aref.put.exit %r, %t [tma_load]
           %x, %u = nvws.aref.get.enter %r                {partition 1}
           ttng.tc_gen5_mma %x, …
           nvws.aref.get.exit %r, %u [tc5mma]
After:   %m = ttg.local_alloc                             `num-stages` buffers
         %empty, %full = …                                mbarriers
         scf.for … iter_args(%i, %p, %j, %q) {
           ttng.wait_barrier %empty[%i], %p               {partition 2}
           ttng.barrier_expect %full[%i], 16384
           ttng.async_tma_copy_global_to_local %d[…] %m[%i], %full[%i]
           ttng.wait_barrier %full[%j], %q                {partition 1}
           ttng.tc_gen5_mma %m[%j], … {is_async}
           ttng.tc_gen5_commit %empty[%j]

1. Combine references that are read together (`combine_arefs`).
2. Give references that TMA fills several buffers.
3. Assign buffers and phases (nvws-assign-stage-phase).
4. Lower the references (`barriers`), and erase dead operations.

Source: Triton, LowerAref.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import nvws, tt, ttg, ub
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.interfaces import is_trivially_dead
from weft.ir.rewriting import Builder, defining_op, erase, walk_inner_first
from weft.passes.nvws.assign_stage_phase import AssignStagePhase
from weft.passes.nvws.lower_aref.barriers import lower_aref
from weft.passes.nvws.lower_aref.combine_arefs import combine_arefs
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.partitions.arefs import (
    allocate,
    buffer_view_type,
    create_aref,
    multi_buffered,
)
from weft.passes.pipelining.partitions.attributes import warp_specialized_loops

__all__ = ["LowerAref"]


class LowerAref(Struct, frozen=True):
    """Replaces asynchronous references by buffers and mbarriers.

    Attributes:
        num_stages: The number of buffers that TMA fills in turn.
    """

    name: ClassVar[str] = "nvws-lower-aref"
    num_stages: int = 3

    def run(self, module: ModuleOp) -> None:
        """Lower all references."""
        for outer in warp_specialized_loops(loops_inner_first(module)):
            for loop in loops_inner_first(outer):
                combine_arefs(loop)
        for aref in _arefs(module):
            if _is_loaded(aref):
                _multi_buffer(aref, self.num_stages)
        AssignStagePhase().run(module)
        for aref in reversed(_arefs(module)):  # bottom-up, as MLIR's greedy driver
            lower_aref(aref, self.num_stages)
        for op in reversed(list(module.walk())):
            if op is not module and is_trivially_dead(op):
                erase(op)
        _hoist_poison(module)


def _arefs(module: ModuleOp) -> list[nvws.ArefCreateOp]:
    return [op for op in walk_inner_first(module) if isinstance(op, nvws.ArefCreateOp)]


def _is_loaded(aref: nvws.ArefCreateOp) -> bool:
    """Check whether loads by descriptors write the buffers of a reference."""
    puts = (use.operation for use in aref.result.uses)
    return any(
        isinstance(use.operation, nvws.DescriptorLoadOp | nvws.DescriptorGatherOp)
        for put in puts
        if isinstance(put, nvws.ArefPutEnterOp)
        for result in put.results
        for use in result.uses
    )


def _multi_buffer(aref: nvws.ArefCreateOp, count: int) -> None:
    """Give a reference in shared memory several buffers."""
    old_buffers = list(aref.operands)
    if any(defining_op(buffer, ttg.LocalAllocOp) is None for buffer in old_buffers):
        return
    builder = Builder().before(aref)
    buffers: list[SSAValue] = []
    for old in old_buffers:
        buffers.append(allocate(builder, multi_buffered(buffer_view_type(old.type), count)))
        old.replace_all_uses_with(buffers[-1])
    new_aref = create_aref(builder, buffers)
    aref.result.replace_all_uses_with(new_aref.result)
    erase(aref)
    for old in old_buffers:
        allocation = defining_op(old)
        assert allocation is not None
        erase(allocation)


def _hoist_poison(module: ModuleOp) -> None:
    """Move poison to the start of its function, out of the partitions."""
    for function in [op for op in module.walk() if isinstance(op, tt.FuncOp)]:
        block = function.regions[0].blocks[0]
        for op in [op for op in walk_inner_first(function) if isinstance(op, ub.PoisonOp)]:
            op.detach()
            Builder().at_start(block).insert(op)
