"""Computed values, idempotence, errors, ledger, costs and compile time."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from weft.decisions import collecting
from weft.ir import types
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.testing import check_pass

PASS = "tritongpu-remove-layout-conversions"
HEAD = """
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1],
  order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4],
  order = [0, 1]}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2],
  order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#down = #ttg.slice<{dim = 1, parent = #plain}>
#across = #ttg.slice<{dim = 0, parent = #plain}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80",
  "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : tensor<64x64xf32, #plain>
  %stride = arith.constant dense<64> : tensor<64x1xi32, #plain>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
  %r = ttg.convert_layout %range : tensor<64xi32, #line> -> tensor<64xi32, #down>
  %s = ttg.convert_layout %range : tensor<64xi32, #line> -> tensor<64xi32, #across>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #down> -> tensor<64x1xi32, #plain>
  %column = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi32, #across> -> tensor<1x64xi32, #plain>
  %scaled = arith.muli %row, %stride : tensor<64x1xi32, #plain>
  %a = tt.broadcast %scaled : tensor<64x1xi32, #plain> -> tensor<64x64xi32, #plain>
  %b = tt.broadcast %column : tensor<1x64xi32, #plain> -> tensor<64x64xi32, #plain>
  %offset = arith.addi %a, %b : tensor<64x64xi32, #plain>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #plain>
  %at = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f32>, #plain>, tensor<64x64xi32, #plain>
  %p = ttg.convert_layout %at
    : tensor<64x64x!tt.ptr<f32>, #plain> -> tensor<64x64x!tt.ptr<f32>, #rows>
  %out = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #plain>
  %to = tt.addptr %out, %offset : tensor<64x64x!tt.ptr<f32>, #plain>, tensor<64x64xi32, #plain>
  %q = ttg.convert_layout %to
    : tensor<64x64x!tt.ptr<f32>, #plain> -> tensor<64x64x!tt.ptr<f32>, #columns>
  %loaded = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
  %v = ttg.convert_layout %loaded : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
"""
TAIL = """
  %w = ttg.convert_layout %last : tensor<64x64xf32, #plain> -> tensor<64x64xf32, #columns>
  tt.store %q, %w : tensor<64x64x!tt.ptr<f32>, #columns>
  tt.return
}
}
"""
BODIES = {
    "straight": "%last = arith.mulf %v, %two : tensor<64x64xf32, #plain>",
    "loop": """
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %two) -> (tensor<64x64xf32, #plain>)
      : i32 {
    %again = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
    %u = ttg.convert_layout %again : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
    %sum = arith.addf %acc, %u : tensor<64x64xf32, #plain>
    scf.yield %sum : tensor<64x64xf32, #plain>
  }""",
    "branch": """
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> (tensor<64x64xf32, #plain>)
      : i32 {
    %odd = arith.andi %i, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    %r2 = scf.if %is -> tensor<64x64xf32, #plain> {
      %again = tt.load %p : tensor<64x64x!tt.ptr<f32>, #rows>
      %u = ttg.convert_layout %again : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #plain>
      scf.yield %u : tensor<64x64xf32, #plain>
    } else {
      scf.yield %two : tensor<64x64xf32, #plain>
    }
    %sum = arith.addf %acc, %r2 : tensor<64x64xf32, #plain>
    scf.yield %sum : tensor<64x64xf32, #plain>
  }""",
    "reduced": """
  %max = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %m: f32):
    %g = arith.maxnumf %l, %m : f32
    tt.reduce.return %g : f32
  }) : (tensor<64x64xf32, #plain>) -> tensor<64xf32, #down>
  %back = tt.expand_dims %max {axis = 1 : i32} : tensor<64xf32, #down> -> tensor<64x1xf32, #plain>
  %wide = tt.broadcast %back : tensor<64x1xf32, #plain> -> tensor<64x64xf32, #plain>
  %last = arith.subf %v, %wide : tensor<64x64xf32, #plain>""",
}


def run(text):
    module = parse_module(text)
    run_pipeline(parse_pipeline(PASS), module, verify=True)
    return module


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_kernels_compute_the_same(body):
    assert check_pass(HEAD + BODIES[body] + TAIL, PASS, scalars={2: 5}) is None


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_a_second_run_changes_nothing(body):
    once = print_module(run(HEAD + BODIES[body] + TAIL))
    assert print_module(run(once)) == once


def test_a_module_without_threads_per_warp():
    module = run("module { tt.func public @k() { tt.return } }")
    assert "ttg" not in print_module(module)


def test_every_tensor_has_a_reason():
    for body in BODIES.values():
        with collecting() as ledger:
            module = run(HEAD + body + TAIL)
        values = {decision.value for decision in ledger}
        for op in module.walk():
            for value in op.results:
                assert types.encoding(value.type) is None or value in values, op.name


def test_ledger_of_anchors_candidates_and_costs():
    with collecting() as ledger:
        run(HEAD + BODIES["straight"] + TAIL)
    multiplication = next(d for d in ledger if d.op == "arith.mulf")
    assert multiplication.anchor.startswith("tt.load at ")
    assert multiplication.reason == "the only layout that propagates to this value"
    assert [candidate.choice for candidate in multiplication.candidates] == [multiplication.choice]
    removals = [d for d in ledger if d.choice == "removed" and d.costs]
    assert removals
    convert, rematerialize = removals[0].costs
    assert (convert.side, rematerialize.side) == ("convert", "rematerialize")
    assert convert.total >= rematerialize.total == sum(cost for _, cost in rematerialize.terms)
    unchanged = next(d for d in ledger if d.choice == "kept")
    assert "cannot be rematerialized: tt.load is never duplicated" in unchanged.reason


UNANCHORED = """
tt.func public @k(%n: i32, %one: f32) -> tensor<64x64xf32, #plain> {
  %c0 = arith.constant 0 : i32
  %x = arith.constant dense<1.0> : tensor<64x64xf32, #plain>
  %sum = scf.for %i = %c0 to %n step %n iter_args(%acc = %x) -> (tensor<64x64xf32, #plain>) : i32 {
    %ones = tt.splat %one : f32 -> tensor<64x64xf32, #plain>
    %next = arith.addf %acc, %ones : tensor<64x64xf32, #plain>
    scf.yield %next : tensor<64x64xf32, #plain>
  }
  tt.return %sum : tensor<64x64xf32, #plain>
}
}
"""


def test_ledger_of_values_that_no_anchor_reaches():
    with collecting() as ledger:
        run(HEAD.partition("tt.func")[0] + UNANCHORED)
    assert {(d.op, d.reason) for d in ledger} >= {
        ("tt.splat", "created in the layout of its users"),
        ("arith.addf", "the layout of its operands"),
        ("scf.for", "the layout of the yielded value"),
        ("scf.for", "the layout of its init arg"),
    }


def test_collecting_decisions_does_not_change_the_ir():
    text = HEAD + BODIES["loop"] + TAIL
    with collecting() as ledger:
        text_with_ledger = print_module(run(text))
    assert ledger
    assert print_module(run(text)) == text_with_ledger


def chain(length):
    steps = [
        f"  %v{i + 1} = arith.addf %v{i}, %two : tensor<64x64xf32, #plain>" for i in range(length)
    ]
    first = "  %v0 = arith.mulf %v, %two : tensor<64x64xf32, #plain>"
    last = f"  %last = arith.mulf %v{length}, %two : tensor<64x64xf32, #plain>"
    return HEAD + "\n".join([first, *steps, last]) + TAIL


def count_calls(length: int) -> int:
    """Count the calls of Python functions while the pass runs on `chain(length)`."""
    module = parse_module(chain(length))
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        run_pipeline(parse_pipeline(PASS), module)
    finally:
        sys.setprofile(None)
    return calls


def test_work_is_linear_in_the_number_of_operations():
    count_calls(1)  # imports and caches
    assert count_calls(400) < 1.2 * 4 * count_calls(100)
