"""Use the flag of an MMA to zero its accumulator (tritongpu-optimize-accumulator-init).

Before:  %r = scf.for … iter_args(%acc = %zeros) {     After:  scf.for … iter_args(%flag = %false) {
           %m, %t = ttng.tmem_alloc %acc                         %m, %t = ttng.tmem_alloc %acc
           %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true           %u = … %a, %b, %m[%t], %flag
           %d, %v = ttng.tmem_load %m[%u]                        %d, %v = ttng.tmem_load %m[%u]
           scf.yield %d                                          scf.yield %d, %true
         }                                                     }

An accumulator starts at zero if it is a constant zero, if the iter_arg is initialized so, or if a
select or conditional of the loop resets it. In the last case the flag is computed beside, and the
accumulator stays as it is: the MMA ignores it.

Holds for wgmma and tcgen05.mma. Source: Triton, OptimizeAccumulatorInit.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, scf, ttg, ttng, types
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, defining_op, walk_inner_first
from weft.passes.loops.optimize_accumulator_init.resets import (
    Reset,
    find_reset,
    is_only_accumulator,
    is_zero,
)
from weft.passes.pipelining.blackwell.mma_v5 import MMAS
from weft.passes.pipelining.loop_signature import add_iter_args
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.rewrite.operands import set_operand
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["OptimizeAccumulatorInit"]

_Dot = ttng.WarpGroupDotOp | ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp
_FLAGS = {
    ttng.WarpGroupDotOp: "useC",
    ttng.TCGen5MMAOp: "useD",
    ttng.TCGen5MMAScaledOp: "useD",
}
_FP8 = (types.f8E5M2, types.f8E4M3FN, types.f8E5M2FNUZ, types.f8E4M3FNUZ)


class OptimizeAccumulatorInit(Struct, frozen=True):
    """Replaces zeroing of accumulators by the flag of MMAs."""

    name: ClassVar[str] = "tritongpu-optimize-accumulator-init"

    def run(self, module: ModuleOp) -> None:
        """Set the flags of MMAs in loops."""
        for op in list(walk_inner_first(module)):
            if isinstance(op, _Dot) and not _needs_partial_sums(op):
                _optimize(op)
        patterns: PatternTable = {ttng.TMEMAllocOp: (_drop_unused_init,)}
        rules = RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True)
        apply_greedily(module, rules)


def _optimize(dot: _Dot) -> None:
    """Set the flag of an MMA whose accumulator starts at zero."""
    loop = dot.parent_op()
    if not isinstance(loop, scf.ForOp):
        return
    builder = Builder().before(loop)
    builder.location = dot.location
    true, false = builder.constant(True, types.i1), builder.constant(False, types.i1)
    accumulator = _accumulator(dot)
    if accumulator is None:
        return
    if is_zero(accumulator):
        _set_flag(dot, false)
        return
    starts_at_zero, reset = find_reset(accumulator, loop)
    if reset is None and not starts_at_zero:
        return
    flag = _flag(dot)
    if flag is not None and not boolean_value(constant_attribute(flag)):
        # The flag is computed, or false: this MMA is handled already.
        return
    if reset is not None and not is_only_accumulator(accumulator, reset, loop):
        return
    loop = add_iter_args(loop, [false if starts_at_zero else true])
    argument = loop.iter_args[-1]
    following: SSAValue = true
    if reset is None:
        _set_flag(dot, argument)
    else:
        is_before = reset.op.is_before_in_block(dot)
        select = _flag_after_reset(dot, reset, argument if is_before else true, false)
        _set_flag(dot, select if is_before else argument)
        following = true if is_before else select
        reset.remove()
        if not is_before:
            _reset_result(loop, accumulator)
    terminator = loop.terminator
    terminator.operands[len(terminator.operands) - 1] = following


def _accumulator(dot: _Dot) -> SSAValue | None:
    """Find the initial value of an accumulator, None if it is not stored beside the MMA."""
    if isinstance(dot, ttng.WarpGroupDotOp):
        return dot.c
    allocation = defining_op(dot.d, ttng.TMEMAllocOp)
    if allocation is None or allocation.parent_region() is not dot.parent_region():
        return None
    users = (use.operation for use in allocation.results[0].uses)
    load = next((user for user in users if isinstance(user, ttng.TMEMLoadOp)), None)
    if load is None or load.parent_region() is not dot.parent_region():
        return None
    return allocation.src


def _flag(dot: _Dot) -> SSAValue | None:
    return dot.useC if isinstance(dot, ttng.WarpGroupDotOp) else dot.useD


def _set_flag(dot: _Dot, flag: SSAValue) -> None:
    set_operand(dot, _FLAGS[type(dot)], flag)


def _needs_partial_sums(dot: _Dot) -> bool:
    """Check whether a wgmma of fp8 operands adds to its accumulator in several steps."""
    if not isinstance(dot, ttng.WarpGroupDotOp):
        return False
    return (
        types.element(dot.a.type) in _FP8
        and types.element(dot.results[0].type) == types.f32
        and dot.maxNumImpreciseAcc.value.data <= _columns(dot.a)
    )


def _columns(value: SSAValue) -> int:
    type_ = value.type
    return type_.shape[1] if isinstance(type_, ttg.MemDescType) else types.shape(type_)[1]


def _reset_result(loop: scf.ForOp, accumulator: SSAValue) -> None:
    """Reset the result of a loop if its last iteration did so.

    Triton does not: the accumulator that the loop returns is that before the reset then.
    """
    assert isinstance(accumulator, BlockArgument)
    result = loop.results[accumulator.index - 1]
    uses = list(result.uses)
    if not uses:
        return
    builder = Builder().after(loop)
    zero = builder.constant(0, result.type)
    operands = [loop.results[-1], result, zero]
    selected = builder.value(arith.SelectOp, operands, result.type)
    for use in uses:
        use.operation.operands[use.index] = selected


def _flag_after_reset(dot: _Dot, reset: Reset, flag: SSAValue, false: SSAValue) -> SSAValue:
    """Compute the flag of the next MMA: false if the accumulator becomes zero."""
    operands = [false, flag] if reset.is_zero_if_true else [flag, false]
    builder = Builder(dot.location).restore((reset.op.parent, reset.op))
    return builder.value(arith.SelectOp, [reset.condition, *operands], types.i1)


def _drop_unused_init(op: Operation, rewriter: Rewriter) -> bool:
    """Drop the initial value of an accumulator that its only MMA overwrites."""
    del rewriter
    assert isinstance(op, ttng.TMEMAllocOp)
    users = [use.operation for use in op.results[0].uses]
    if op.src is None or len(users) > 2:
        return False
    loads = [user for user in users if isinstance(user, ttng.TMEMLoadOp)]
    mmas = [user for user in users if isinstance(user, MMAS)]
    if not mmas:
        return False
    mma = mmas[-1]
    if loads and not (mma.parent is loads[-1].parent and mma.is_before_in_block(loads[-1])):
        return False
    if boolean_value(constant_attribute(mma.useD)) is not False:
        return False
    set_operand(op, "src", None)
    return True
