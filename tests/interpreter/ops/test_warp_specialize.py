"""Masks of the software pipeliner, arrivals of cp.async, slices and scheduling operations."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import LaunchError
from weft.interpreter import run
from weft.ir.text import parse_module

BARRIER = "!ttg.memdesc<1xi64, #s, #smem, mutable>"
BUFFER = "!ttg.memdesc<128xf32, #s, #smem, mutable>"
HEAD = """
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
"""  # noqa: E501
TAIL = """
  tt.store %q, %v : tensor<128x!tt.ptr<f32>, #b>
  tt.return
}
}
"""


def result(body: str, n: int = 0, size: int = 128) -> np.ndarray:
    x, y = np.arange(size, dtype=np.float32), np.zeros(size, np.float32)
    run(parse_module(HEAD + body + TAIL), "k", (1,), [x, y, n])
    return y


MASK = """
  %c = arith.cmpi sgt, %n, %c0 : i32
  %v = "ttg.mask"(%c) ({
    %l = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
    ttg.mask.return %l : tensor<128xf32, #b>
  }) : (i1) -> tensor<128xf32, #b>
"""


def test_a_mask_runs_its_region_if_the_predicate_is_true():
    np.testing.assert_array_equal(result(MASK, 1), np.arange(128))
    assert np.isnan(result(MASK, 0)).all()


def test_programs_have_masks_of_their_own():
    body = MASK.replace("%c = arith", "%id = tt.get_program_id x : i32\n  %c = arith")
    body = body.replace("sgt, %n", "sgt, %id")
    body += "  %o = arith.muli %id, %n : i32\n  %to = tt.addptr %y, %o : !tt.ptr<f32>, i32\n"
    body += "  %ts = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>\n"
    body += "  %t = tt.addptr %ts, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>\n"
    x, y = np.arange(128, dtype=np.float32), np.zeros((3, 128), np.float32)
    text = HEAD + body + TAIL.replace("tt.store %q", "tt.store %t")
    run(parse_module(text), "k", (3,), [x, y, 128])
    assert np.isnan(y[0]).all()
    np.testing.assert_array_equal(y[1:], [x, x])


@pytest.mark.parametrize("n", range(5))
def test_a_stage_is_active_if_its_iteration_exists(n):
    """Iteration 1 runs stage 0 of iteration 3, two iterations ahead of stage 2."""
    body = """
  %c = ttg.predicate_stage %c1, %n, %c1 maxStage 2 stage 0 : i32 -> i1
  %f = arith.uitofp %c : i1 to f32
  %v = tt.splat %f : f32 -> tensor<128xf32, #b>
"""
    assert result(body, n)[0] == (n > 3)


COPY = f"""
  %bar = ttg.local_alloc : () -> {BARRIER}
  %m = ttg.local_alloc : () -> {BUFFER}
  ttng.init_barrier %bar, COUNT : {BARRIER}
  %t = ttg.async_copy_global_to_local %p, %m : tensor<128x!tt.ptr<f32>, #b> -> <128xf32, #s, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %bar OPTIONS : {BARRIER}
  MORE
  ttng.wait_barrier %bar, %c0 : {BARRIER}
  %v = ttg.local_load %m : {BUFFER} -> tensor<128xf32, #b>
"""  # noqa: E501


def copy(count: int, options: str = "", more: str = "") -> str:
    return COPY.replace("COUNT", str(count)).replace("OPTIONS", options).replace("MORE", more)


def test_copies_arrive_on_an_mbarrier():
    np.testing.assert_array_equal(result(copy(128, "{noIncrement}")), np.arange(128))
    arrive = f"ttng.arrive_barrier %bar, 1 : {BARRIER}"
    np.testing.assert_array_equal(result(copy(1, "", arrive)), np.arange(128))


def test_without_a_wait_copies_have_not_arrived():
    lines = copy(128, "{noIncrement}").splitlines()
    text = "\n".join(line for line in lines if "wait_barrier" not in line)
    assert np.isnan(result(text)).all()


def test_a_phase_waits_for_the_arrivals_besides_those_of_copies():
    with pytest.raises(LaunchError, match="deadlock"):
        result(copy(1))


TWO_COPIES = (
    COPY.replace(
        "MORE",
        f"""
  %bar2 = ttg.local_alloc : () -> {BARRIER}
  %m2 = ttg.local_alloc : () -> {BUFFER}
  ttng.init_barrier %bar2, 128 : {BARRIER}
  %t2 = ttg.async_copy_global_to_local %p, %m2 : tensor<128x!tt.ptr<f32>, #b> -> <128xf32, #s, #smem, mutable>
  ttng.async_copy_mbarrier_arrive %bar2 {{noIncrement}} : {BARRIER}
""",  # noqa: E501
    )
    .replace("COUNT", "128")
    .replace("OPTIONS", "{noIncrement}")
)


def test_an_arrival_waits_only_for_the_copies_before_it():
    text = TWO_COPIES.replace("%v = ttg.local_load %m ", "%v = ttg.local_load %m2 ")
    assert np.isnan(result(text)).all()
    text = text.replace("wait_barrier %bar,", "wait_barrier %bar2,")
    np.testing.assert_array_equal(result(text), np.arange(128))


def test_a_copy_that_arrived_does_not_write_again():
    stores = f"""
  ttng.wait_barrier %bar, %c0 : {BARRIER}
  %zero = arith.constant dense<0.0> : tensor<128xf32, #b>
  ttg.local_store %zero, %m : tensor<128xf32, #b> -> {BUFFER}
  %all = ttg.async_wait {{num = 0 : i32}}
"""
    for group in ("", "%g = ttg.async_commit_group tokens %t"):
        text = copy(128, "{noIncrement}", group + stores)
        np.testing.assert_array_equal(result(text), np.zeros(128))


def test_parts_of_tensors_and_their_concatenation():
    body = """
  %l = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
  %a = amdg.extract_slice %l [0] : tensor<128xf32, #b> to tensor<64xf32, #b>
  %b = amdg.extract_slice %l [64] : tensor<128xf32, #b> to tensor<64xf32, #b>
  %v = amdg.concat %b, %a : tensor<64xf32, #b>, tensor<64xf32, #b> -> tensor<128xf32, #b>
"""
    np.testing.assert_array_equal(result(body), np.roll(np.arange(128), 64))


def test_scheduling_operations_have_no_effect():
    body = """
  %id = rocdl.workitem.id.x : i32
  %c = arith.cmpi sgt, %id, %c0 : i32
  amdg.cond_barrier %c
  rocdl.s.setprio 1
  rocdl.sched.barrier 0
  rocdl.s.barrier
  amdg.memory_counter_wait ds(0)
  %v = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
"""
    np.testing.assert_array_equal(result(body), np.arange(128))


def test_counts_of_loads_are_refused_beside_copies_to_lds():
    body = copy(128, "{noIncrement}", "amdg.memory_counter_wait load(0)")
    with pytest.raises(LaunchError, match="does not count the instructions of a copy"):
        result(body)


def test_elements_of_a_buffer_by_index():
    body = f"""
  %l = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
  %c127 = arith.constant dense<127> : tensor<128xi32, #b>
  %one = arith.constant dense<1> : tensor<128xi32, #b>
  %reversed = arith.subi %c127, %r : tensor<128xi32, #b>
  %next = arith.addi %r, %one : tensor<128xi32, #b>
  %turned = arith.andi %next, %c127 : tensor<128xi32, #b>
  %m = ttg.local_alloc : () -> {BUFFER}
  ttg.local_scatter %m[%turned], %l {{axis = 0 : i32}} : {BUFFER}, tensor<128xi32, #b>, tensor<128xf32, #b>
  %v = ttg.local_gather %m[%reversed] {{axis = 0 : i32}} : {BUFFER}, tensor<128xi32, #b> -> tensor<128xf32, #b>
"""  # noqa: E501
    np.testing.assert_array_equal(result(body), np.roll(np.arange(128), 1)[::-1])
