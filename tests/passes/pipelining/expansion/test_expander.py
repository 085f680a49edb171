"""Loops keep their meaning when they are expanded, for every number of iterations."""

from __future__ import annotations

import numpy as np
import pytest

from weft.interpreter import run
from weft.ir.builtin import ModuleOp
from weft.ir.scf import ForOp
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.pipelining.expansion.expander import ExpansionOptions, LoopPart, expand_loop
from weft.passes.pipelining.expansion.predication import resolve_masks, wrap_in_mask
from weft.passes.pipelining.loop_queries import loops_inner_first
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule, remove_schedules

# Loads of stage 0 feed a sum of stage 2; the address comes from stage 1 of the previous iteration,
# and %last is a result of stage 0. %old was computed in the previous iteration.
KERNEL = """
tt.func public @k(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32, %lb: i32, %step: i32) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:4 = scf.for %i = %lb to %n step %step iter_args(
      %acc = %zero, %p = %x, %last = %zero, %old = %zero
  ) -> (f32, !tt.ptr<f32>, f32, f32) : i32 {
    %a = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
    %q = tt.addptr %p, %c1 {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>, i32
    %f = arith.sitofp %i {loop.cluster = 0 : i32, loop.stage = 2 : i32} : i32 to f32
    %b = arith.mulf %a, %f {loop.cluster = 0 : i32, loop.stage = 2 : i32} : f32
    %m = arith.addf %b, %old {loop.cluster = 0 : i32, loop.stage = 2 : i32} : f32
    %s = arith.addf %acc, %m {loop.cluster = 0 : i32, loop.stage = 2 : i32} : f32
    %o = tt.addptr %out, %i {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>, i32
    tt.store %o, %a {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
    scf.yield %s, %q, %a, %b : f32, !tt.ptr<f32>, f32, f32
  } {tt.scheduled_max_stage = 2 : i32}
  %o0 = tt.addptr %out, %n : !tt.ptr<f32>, i32
  tt.store %o0, %r#0 : !tt.ptr<f32>
  %o1 = tt.addptr %o0, %c1 : !tt.ptr<f32>, i32
  tt.store %o1, %r#2 : !tt.ptr<f32>
  %o2 = tt.addptr %o1, %c1 : !tt.ptr<f32>, i32
  %e = tt.load %r#1 : !tt.ptr<f32>
  tt.store %o2, %e : !tt.ptr<f32>
  %o3 = tt.addptr %o2, %c1 : !tt.ptr<f32>, i32
  tt.store %o3, %r#3 : !tt.ptr<f32>
  tt.return
}
"""


def read(loop: ForOp) -> LoopSchedule:
    schedule = LoopSchedule.read(loop)
    assert schedule is not None
    return schedule


def expanded(text: str, *, peel_epilogue: bool) -> ModuleOp:
    module = parse_module(text)
    (loop,) = loops_inner_first(module)
    schedule = read(loop)
    order = schedule.ops_in_order(loop)
    stages = {op: schedule.stage(op) for op in order}
    options = ExpansionOptions(predicate=wrap_in_mask, peel_epilogue=peel_epilogue)
    assert expand_loop(loop, order, stages, options) is not None
    verify(module)
    resolve_masks(module)
    remove_schedules(module)
    verify(module)
    return module


def result(module: ModuleOp, n: int, lower: int, step: int) -> np.ndarray:
    x = np.arange(1, 33, dtype=np.float32)
    out = np.zeros(32, np.float32)
    run(module, "k", (1,), [x, out, n, lower, step])
    return out


@pytest.mark.parametrize("peel_epilogue", [False, True])
@pytest.mark.parametrize("n", range(8))
@pytest.mark.parametrize(("lower", "step"), [(0, 1), (1, 2), (2, 3)])
def test_expansion_keeps_results(peel_epilogue, n, lower, step):
    expected = result(parse_module(KERNEL), n, lower, step)
    actual = result(expanded(KERNEL, peel_epilogue=peel_epilogue), n, lower, step)
    np.testing.assert_array_equal(actual, expected)


def test_peeled_epilogue_shortens_the_kernel():
    text = print_module(expanded(KERNEL, peel_epilogue=True))
    assert text.count("tt.load") == 4, "two in the prologue, one in the kernel, one after the loop"


def test_copies_are_annotated_with_their_part():
    module = parse_module(KERNEL)
    (loop,) = loops_inner_first(module)
    schedule = read(loop)
    order = schedule.ops_in_order(loop)
    parts = []
    options = ExpansionOptions(
        predicate=wrap_in_mask,
        peel_epilogue=True,
        annotate=lambda op, part, iteration: parts.append((part, iteration)),
    )
    expand_loop(loop, order, {op: schedule.stage(op) for op in order}, options)
    # Stage 0 has one operation, stage 1 three, stage 2 four.
    assert parts.count((LoopPart.PROLOGUE, 0)) == 1
    assert parts.count((LoopPart.PROLOGUE, 1)) == 4
    assert parts.count((LoopPart.KERNEL, 0)) == 8
    assert parts.count((LoopPart.EPILOGUE, 0)) == 7
    assert parts.count((LoopPart.EPILOGUE, 1)) == 4


def test_an_operation_before_its_operands_is_not_pipelined():
    load = "tt.load %p {loop.cluster = 2 : i32, loop.stage = "
    module = parse_module(KERNEL.replace(f"{load}0", f"{load}2"))
    before = print_module(module)
    (loop,) = loops_inner_first(module)
    schedule = read(loop)
    order = schedule.ops_in_order(loop)
    stages = {op: schedule.stage(op) for op in order}
    assert expand_loop(loop, order, stages, ExpansionOptions(predicate=wrap_in_mask)) is None
    assert print_module(module) == before


def test_an_incomplete_schedule_is_not_pipelined():
    module = parse_module(KERNEL)
    (loop,) = loops_inner_first(module)
    order = [op for op in loop.block.ops if op is not loop.terminator]
    stages = dict.fromkeys(order[1:], 0)
    assert expand_loop(loop, order[1:], stages, ExpansionOptions(predicate=wrap_in_mask)) is None
