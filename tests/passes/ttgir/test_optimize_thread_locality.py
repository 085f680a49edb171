"""Reductions split by thread: loops that stay unchanged, computed values, and the ledger."""

from __future__ import annotations

import pytest

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.testing import check_pass

NAME = "tritongpu-optimize-thread-locality"
BLOCKED = (
    "#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], "
    "warpsPerCTA = [4, 1], order = [1, 0]}>"
)
SUMS = "tensor<32xf32, #ttg.slice<{dim = 1, parent = #blocked}>>"
MODULE = 'module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {'


def kernel(update: str = "arith.addf %a, %s", *, inside: str = "", init: str = "0.0") -> str:
    """Write a kernel that accumulates sums of rows in a loop and stores them."""
    row = "#ttg.slice<{dim = 1, parent = #blocked}>"
    col = "#ttg.slice<{dim = 0, parent = #blocked}>"
    return f"""{BLOCKED}
{MODULE}
tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<{init}> : {SUMS}
  %i = tt.make_range {{end = 32 : i32, start = 0 : i32}} : tensor<32xi32, {row}>
  %j = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, {col}>
  %width = arith.constant dense<128> : tensor<32x1xi32, #blocked>
  %ie = tt.expand_dims %i {{axis = 1 : i32}} : tensor<32xi32, {row}> -> tensor<32x1xi32, #blocked>
  %je = tt.expand_dims %j {{axis = 0 : i32}} : tensor<128xi32, {col}> -> tensor<1x128xi32, #blocked>
  %im = arith.muli %ie, %width : tensor<32x1xi32, #blocked>
  %ib = tt.broadcast %im : tensor<32x1xi32, #blocked> -> tensor<32x128xi32, #blocked>
  %jb = tt.broadcast %je : tensor<1x128xi32, #blocked> -> tensor<32x128xi32, #blocked>
  %at = arith.addi %ib, %jb : tensor<32x128xi32, #blocked>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>, #blocked>
  %pa = tt.addptr %ps, %at : tensor<32x128x!tt.ptr<f32>, #blocked>, tensor<32x128xi32, #blocked>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, {row}>
  %qa = tt.addptr %qs, %i : tensor<32x!tt.ptr<f32>, {row}>, tensor<32xi32, {row}>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> ({SUMS})  : i32 {{
    %x = tt.load %pa : tensor<32x128x!tt.ptr<f32>, #blocked>
    %s = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
    ^bb0(%l: f32, %m: f32):
      %t = arith.addf %l, %m : f32
      tt.reduce.return %t : f32
    }}) : (tensor<32x128xf32, #blocked>) -> {SUMS}
    {inside}
    %b = {update} : {SUMS}
    scf.yield %b : {SUMS}
  }}
  tt.store %qa, %r : tensor<32x!tt.ptr<f32>, {row}>
  tt.return
}}
}}"""


def after(text: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(NAME), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize("init", ["0.0", "2.5"])
@pytest.mark.parametrize("update", ["arith.addf %a, %s", "arith.addf %s, %a"])
def test_a_split_sum_computes_the_same(update, init):
    text = kernel(update, init=init)
    assert "efficient_layout" in after(text)
    check_pass(text, NAME, grid=(1,), scalars={2: 3}, tolerance=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"update": "arith.subf %a, %s"},
        {"update": "arith.maxnumf %a, %s"},
        {"update": "arith.addf %s, %s"},
        {
            "inside": "tt.store %qa, %a : "
            "tensor<32x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #blocked}>>"
        },
    ],
    ids=["subtracted", "another operation", "not accumulated", "read elsewhere"],
)
def test_other_loops_stay(options):
    text = kernel(**options)
    assert "tt.reshape" not in after(text)
    check_pass(text, NAME, grid=(1,), scalars={2: 3})


def test_an_accumulator_without_users_after_the_loop():
    text = kernel().replace("tt.store %qa, %r :", "tt.store %qa, %zero :")
    check_pass(text, NAME, grid=(1,), scalars={2: 3})


def test_every_new_value_has_a_reason():
    module = parse_module(kernel())
    with collecting() as decisions:
        run_pipeline(parse_pipeline(NAME), module)
    reasons = {decision.reason for decision in decisions}
    assert reasons == {
        "the elements of a thread have their own dimension",
        "the loop accumulates one number per thread",
        "threads are combined once, after the loop",
        "the layout of the original loop result",
    }


def test_the_split_over_ctas_is_kept():
    text = kernel().replace("order = [1, 0]}>", "order = [1, 0], CGALayout = [[1, 0]]}>")
    text = text.replace('{"ttg.num-warps"', '{"ttg.num-ctas" = 2 : i32, "ttg.num-warps"')
    assert "order = [2, 1, 0], CGALayout = [[1, 0, 0]]" in after(text)
