"""Atomic updates and the broadcast of their results."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, instructions, summary

ROW = BLOCKED % (4, 32, 4, 0)
SCALAR = """
tt.func public @k(%p: !tt.ptr<i32>, %v: i32, %m: i1) {
  %r = tt.atomic_rmw add, acq_rel, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32
  USE
  tt.return
}
"""
TENSOR = f"""
tt.func public @k(%p: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %v: tensor<1024xf32, {ROW}>) {{
  %i = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : tensor<1024xi32, {ROW}>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, {ROW}>
  %q = tt.addptr %s, %i : tensor<1024x!tt.ptr<f32>, {ROW}>, tensor<1024xi32, {ROW}>
  %r = tt.atomic_rmw fadd, acq_rel, gpu, %q, %v :
    (tensor<1024x!tt.ptr<f32>, {ROW}>, tensor<1024xf32, {ROW}>) -> tensor<1024xf32, {ROW}>
  tt.return
}}
"""


def test_one_thread_updates_for_a_scalar():
    assert summary(SCALAR.replace("USE", ""), "tt.atomic_rmw") == [("global atomic", 32, 1, 1)]


def test_a_result_that_is_used_goes_to_all_warps():
    used = instructions(SCALAR.replace("USE", "tt.store %p, %r : !tt.ptr<i32>"), "tt.atomic_rmw")
    assert [(each.kind, each.count, each.warps, each.wavefronts) for each in used] == [
        ("global atomic", 1, 1, 0),
        ("shared store", 1, 1, 1),
        ("barrier", 1, 4, 0),
        ("shared load", 1, 4, 4),
    ]
    assert all(each.conflicts == 0 for each in used)


def test_hopper_adds_four_floats_at_once():
    (atomic,) = instructions(TENSOR, "tt.atomic_rmw")
    assert (atomic.bits, atomic.count, atomic.sectors) == (128, 2, 128)
    (atomic,) = instructions(TENSOR, "tt.atomic_rmw", chip="cuda:80")
    assert (atomic.bits, atomic.count, atomic.distinct_sectors) == (32, 8, 128)
