"""Expand scheduled loops, and peel the last iteration of loops that end with an MMA's wait.

    scf.for … {                       scf.for … to %ub - %s {          kernel
      "ttg.mask"(%p) … stage 0          "ttg.mask"(%p) … stage 0
      stage 1: wait for the MMA   →     stage 1
    }                                 }
                                      scf.if … { stage 1 }             last iteration

The last stage of a loop with MMAs of Blackwell waits for the last of them. In the last iteration of
the kernel, nothing else runs. Peeled, it needs no mask, and in the others the stage before the last
one always runs.
"""

from __future__ import annotations

from weft.ir import attributes, scf, ttg, ttng, types, ub
from weft.ir.builtin import SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.rewriting import Builder, ancestors, replace
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.expansion.expander import (
    ExpansionOptions,
    expand_loop,
    predicate_of_stage,
)
from weft.passes.pipelining.expansion.peel_epilogue import peel_last_iteration
from weft.passes.pipelining.expansion.predication import wrap_in_mask
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = ["expand"]

_KEEPS_PREDICATES = "__test_keep_predicate_stage"
"""An attribute of loops in Triton's tests, whose `ttg.predicate_stage` operations stay."""


def expand(loop: scf.ForOp) -> None:
    """Expand a loop if it has a schedule."""
    schedule = LoopSchedule.read(loop)
    if schedule is None:
        return
    order = schedule.ops_in_order(loop)
    stages = {op: schedule.stage(op) for op in order}
    keeps_predicates = _KEEPS_PREDICATES in loop.attributes
    is_peeled = _ends_with_wait(loop, schedule) and not keeps_predicates
    is_resolved = not is_peeled and not keeps_predicates
    kernel = expand_loop(
        loop,
        order,
        stages,
        ExpansionOptions(
            predicate=wrap_in_mask,
            predicate_stage=predicate_of_stage if is_resolved else _unresolved_predicate,
        ),
    )
    if kernel is not None and is_peeled:
        _peel(kernel)


def _peel(kernel: scf.ForOp) -> None:
    """Peel the last iteration of a kernel, and compute the predicates of its stages."""
    conditional = peel_last_iteration(kernel)
    for op in list(kernel.block.ops):
        if isinstance(op, ttg.PredicateStageOp):
            _resolve_in_kernel(op)
    for op in list(conditional.then_block.ops):
        if isinstance(op, ttg.PredicateStageOp):
            # No stage but the last one has an iteration left.
            false = Builder().before(op).constant(False, types.i1)
            op.result.replace_all_uses_with(false)
    for op in list(conditional.then_block.ops):
        if isinstance(op, ttg.MaskOp):
            _prune(op)


def _ends_with_wait(loop: scf.ForOp, schedule: LoopSchedule) -> bool:
    """Check whether a loop with MMAs of Blackwell waits on an mbarrier in its last stage."""
    if any(isinstance(op, ttg.WarpSpecializeOp) for op in ancestors(loop)):
        return False
    ops = [op for op in loop.block.ops if op is not loop.terminator]
    last_stage = schedule.num_stages - 1
    return any(isinstance(op, MMAS) for op in ops) and any(
        isinstance(op, ttng.WaitBarrierOp) and schedule.stage(op) == last_stage
        for op in ops
        if op in schedule
    )


def _unresolved_predicate(
    builder: Builder,
    induction_variable: SSAValue,
    upper_bound: SSAValue,
    step: SSAValue,
    last_stage: int,
    stage: int,
) -> SSAValue:
    """Create a placeholder for the predicate of a stage."""
    properties = {
        "maxStage": attributes.integer(last_stage, types.i32),
        "stage": attributes.integer(stage, types.i32),
    }
    operands = [induction_variable, upper_bound, step]
    return builder.value(ttg.PredicateStageOp, operands, types.i1, properties)


def _resolve_in_kernel(op: ttg.PredicateStageOp) -> None:
    """Compute the predicate of a stage in the iterations before the last one."""
    last_stage, stage = op.maxStage.value.data, op.stage.value.data
    builder = Builder().before(op)
    if stage == last_stage - 1:
        predicate: SSAValue = builder.constant(True, types.i1)
    else:
        predicate = predicate_of_stage(builder, op.iv, op.ub, op.step, last_stage, stage)
    op.result.replace_all_uses_with(predicate)


def _prune(mask: ttg.MaskOp) -> None:
    """Remove a mask of the last iteration whose predicate is false."""
    if boolean_value(constant_attribute(mask.pred)) is not False:
        return
    builder = Builder().before(mask)
    values = [builder.value(ub.PoisonOp, (), result.type) for result in mask.results]
    replace(mask, values)
