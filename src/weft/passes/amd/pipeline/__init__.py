"""Pipeline loops by their schedule for AMD's chips (tritonamdgpu-pipeline).

Before:  scf.for %i = 0 to %n {                   After:  %m = ttg.local_alloc … 1x…
           %a = tt.load … {loop.stage = 0}                %a = tt.load … 0, if 0 < %n     prologue
           … = tt.dot %a, … {loop.stage = 1}              ttg.local_store %a, %m
         } {tt.scheduled_max_stage = 1}                   scf.for %i = 0 to %n - 1 {
                                                            %b = tt.load … %i + 1
                                                            %c = ttg.local_load %m
                                                            … = tt.dot %c, …
                                                            ttg.local_store %b, %m
                                                          }
                                                          %c = ttg.local_load %m          epilogue
                                                          … = tt.dot %c, …, if 0 < %n

1. Loads that feed dots go through buffers in shared memory (LDS): a load to registers and a store,
   or with `use_async_copy` a copy that bypasses the registers.
2. Loops are expanded to prologue, kernel and epilogue. Operations of the prologue and epilogue run
   only if their iteration exists; a dot of the epilogue is inside of a conditional.
3. Adjacent waits for copies are merged.

A loop is left as it is if it has an operation that cannot be predicated, such as a load through a
tensor descriptor.

Needs the attributes that tritonamdgpu-schedule-loops writes, and removes them. Loads of the
prologue are marked for tritonamdgpu-move-up-prologue-loads. Source: Triton, Pipeline.cpp and
LowerLoops.cpp of the AMD back end.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import axis_info, write_argument_hints
from weft.ir import attributes, scf, tt, ttg
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, defining_op, walk_inner_first
from weft.passes.amd.pipeline.buffer_encodings import BufferChoice
from weft.passes.amd.pipeline.lower_loads import LoweringOptions, lower_loads
from weft.passes.pipelining.amd_schedules import PIPELINER_PART, PROLOGUE, chip_of
from weft.passes.pipelining.buffers.async_waits import combine_redundant_waits
from weft.passes.pipelining.expansion.expander import ExpansionOptions, LoopPart, expand_loop
from weft.passes.pipelining.expansion.predication import can_predicate, resolve_masks, wrap_in_mask
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.schedule.loop_schedule import (
    MAX_STAGE,
    STAGE,
    LoopSchedule,
    remove_schedules,
)

__all__ = ["Pipeline"]


class Pipeline(Struct, frozen=True):
    """Expands loops with a schedule.

    Attributes:
        use_async_copy: Whether loads that the chip can copy to shared memory bypass the registers.
        use_pingpong: Whether tritonamdgpu-block-pingpong follows: then the wait for a copy is at
            the end of the previous iteration.
    """

    use_async_copy: bool = False
    use_pingpong: bool = False

    name: ClassVar[str] = "tritonamdgpu-pipeline"

    def run(self, module: ModuleOp) -> None:
        """Pipeline the loops of a module in place.

        Raises:
            PassError: The module has no "ttg.target".
        """
        self._lower_loops(module)
        for loop in loops_inner_first(module):
            _expand(loop)
        resolve_masks(module)
        if self.use_async_copy:
            combine_redundant_waits(
                [op for op in walk_inner_first(module) if isinstance(op, ttg.AsyncWaitOp)]
            )
        remove_schedules(module)

    def _lower_loops(self, module: ModuleOp) -> None:
        loops = [loop for loop in loops_inner_first(module) if MAX_STAGE in loop.attributes]
        if not loops:
            return
        infos = axis_info(module)
        write_argument_hints(infos)
        options = LoweringOptions(chip_of(module), self.use_async_copy, self.use_pingpong)
        choice = BufferChoice(infos, options.chip, options.use_async_copy)
        for loop in loops:
            if all(can_predicate(op) or _is_replaced(op, choice) for op in loop.block.ops):
                lower_loads(loop, infos, options)
            else:
                remove_schedules(loop)  # Triton fails to compile the kernel


def _is_replaced(op: Operation, choice: BufferChoice) -> bool:
    """Check whether an operation is a buffer that the buffer of a pipelined load replaces."""
    if not isinstance(op, ttg.LocalAllocOp) or op.src is None:
        return False
    load = defining_op(op.src)
    return isinstance(load, tt.LoadOp) and STAGE in load.attributes and bool(choice.encoding(load))


def _expand(loop: scf.ForOp) -> None:
    """Expand a loop if it has a schedule."""
    schedule = LoopSchedule.read(loop)
    if schedule is None:
        return
    order = schedule.ops_in_order(loop)
    stages = {op: schedule.stage(op) for op in order}
    options = ExpansionOptions(predicate=_predicate, peel_epilogue=True, annotate=_mark_prologue)
    expand_loop(loop, order, stages, options)


def _predicate(op: Operation, predicate: SSAValue) -> Operation:
    """Make an operation run only if its iteration exists.

    A dot becomes conditional: a select between the accumulator and its result would keep both in
    registers.
    """
    if not isinstance(op, tt.DotOp | tt.DotScaledOp):
        return wrap_in_mask(op, predicate)
    regions = [Region(Block()), Region(Block())]
    builder = Builder(op.location).before(op)
    result = op.results[0]
    conditional = builder.create(scf.IfOp, [predicate], [result.type], regions=regions)
    result.replace_all_uses_with(conditional.results[0])
    op.detach()
    builder.at_end(regions[0].block).insert(op)
    builder.create(scf.YieldOp, [result])
    builder.at_end(regions[1].block).create(scf.YieldOp, [op.operands[2]])
    return conditional


def _mark_prologue(op: Operation, part: LoopPart, _: int) -> None:
    """Mark the loads of the prologue."""
    if part is LoopPart.PROLOGUE:
        inner = op.region.block.first_op if isinstance(op, ttg.MaskOp) else op
        if isinstance(inner, tt.LoadOp):
            inner.attributes[PIPELINER_PART] = attributes.string(PROLOGUE)
