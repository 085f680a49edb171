# ruff: noqa: E501 - IR text and tables of cases stay on their lines
"""Programs of one batch that go different ways must each give what they give alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.kernels import run_text
from weft.errors import LaunchError

HEAD = """
tt.func public @k(%in: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %pid = tt.get_program_id x : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %p = tt.addptr %in, %pid : !tt.ptr<i32>, i32
  %q = tt.addptr %out, %pid : !tt.ptr<i32>, i32
  %n = tt.load %p : !tt.ptr<i32>
"""


def outputs(body: str, numbers: list[int]) -> list[int]:
    inputs, out = np.array(numbers, np.int32), np.full(len(numbers), -99, np.int32)
    run_text(HEAD + body + "}\n", [inputs, out], (len(numbers),))
    return out.tolist()


small = st.lists(st.integers(-3, 12), min_size=1, max_size=30)

SUM = """
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %pid) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  tt.store %q, %s : !tt.ptr<i32>
  tt.return
"""


@settings(max_examples=25, deadline=None)
@given(small)
def test_for_with_trip_counts_that_differ(numbers: list[int]) -> None:
    expected = [pid + sum(range(n)) for pid, n in enumerate(numbers)]
    assert outputs(SUM, numbers) == expected


NESTED = """
  %s = scf.for %i = %pid to %n step %c3 iter_args(%a = %c0) -> (i32) : i32 {
    %odd = arith.andi %i, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    %b = scf.if %is -> (i32) {
      %t = scf.for %j = %c0 to %i step %c1 iter_args(%x = %a) -> (i32) : i32 {
        %y = arith.addi %x, %pid : i32
        scf.yield %y : i32
      }
      scf.yield %t : i32
    } else {
      %u = arith.subi %a, %c1 : i32
      scf.yield %u : i32
    }
    scf.yield %b : i32
  }
  tt.store %q, %s : !tt.ptr<i32>
  tt.return
"""


@settings(max_examples=25, deadline=None)
@given(small)
def test_loops_and_branches_in_each_other(numbers: list[int]) -> None:
    def alone(pid: int, n: int) -> int:
        a = 0
        for i in range(pid, n, 3):
            a = a + pid * i if i % 2 else a - 1
        return a

    assert outputs(NESTED, numbers) == [alone(pid, n) for pid, n in enumerate(numbers)]


WHILE = """
  %r:2 = scf.while (%a = %n, %steps = %c0) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %a, %c1 : i32
    scf.condition(%go) %a, %steps : i32, i32
  } do {
  ^bb0(%b: i32, %t: i32):
    %odd = arith.andi %b, %c1 : i32
    %is = arith.cmpi eq, %odd, %c1 : i32
    %half = arith.shrsi %b, %c1 : i32
    %triple = arith.muli %b, %c3 : i32
    %up = arith.addi %triple, %c1 : i32
    %next = arith.select %is, %up, %half : i32
    %more = arith.addi %t, %c1 : i32
    scf.yield %next, %more : i32, i32
  }
  tt.store %q, %r#1 : !tt.ptr<i32>
  tt.return
"""


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=20))
def test_while_ends_separately_in_each_program(numbers: list[int]) -> None:
    def collatz(n: int) -> int:
        steps = 0
        while n > 1:
            n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
        return steps

    assert outputs(WHILE, numbers) == [collatz(n) for n in numbers]


EARLY = """
  %neg = arith.cmpi slt, %n, %c0 : i32
  cf.cond_br %neg, ^bb1, ^bb2
^bb1:
  tt.store %q, %pid : !tt.ptr<i32>
  tt.return
^bb2:
  %big = arith.cmpi sgt, %n, %c3 : i32
  cf.cond_br %big, ^bb3(%n : i32), ^bb3(%c1 : i32)
^bb3(%v: i32):
  %w = arith.addi %v, %pid : i32
  tt.store %q, %w : !tt.ptr<i32>
  tt.return
"""


@settings(max_examples=20, deadline=None)
@given(small)
def test_blocks_early_return_and_join(numbers: list[int]) -> None:
    expected = [pid if n < 0 else pid + (n if n > 3 else 1) for pid, n in enumerate(numbers)]
    assert outputs(EARLY, numbers) == expected


LOOP = """
  cf.br ^bb1(%n, %c0 : i32, i32)
^bb1(%a: i32, %s: i32):
  %go = arith.cmpi sgt, %a, %c0 : i32
  cf.cond_br %go, ^bb2, ^bb3
^bb2:
  %t = arith.addi %s, %a : i32
  %b = arith.subi %a, %c1 : i32
  cf.br ^bb1(%b, %t : i32, i32)
^bb3:
  %r = arith.addi %s, %pid : i32
  tt.store %q, %r : !tt.ptr<i32>
  tt.return
"""


@settings(max_examples=20, deadline=None)
@given(small)
def test_a_loop_of_blocks(numbers: list[int]) -> None:
    expected = [pid + sum(range(max(n, 0) + 1)) for pid, n in enumerate(numbers)]
    assert outputs(LOOP, numbers) == expected


def test_calls_return_for_each_program() -> None:
    text = (
        """
tt.func private @f(%x: i32, %y: i32) -> (i32, i32) {
  %c5 = arith.constant 5 : i32
  %big = arith.cmpi sgt, %x, %c5 : i32
  cf.cond_br %big, ^bb1, ^bb2
^bb1:
  tt.return %x, %y : i32, i32
^bb2:
  %z = arith.addi %x, %y : i32
  tt.return %z, %c5 : i32, i32
}
"""
        + HEAD
        + """
  %r:2 = tt.call @f(%n, %pid) : (i32, i32) -> (i32, i32)
  %s = arith.muli %r#0, %c3 : i32
  %t = arith.addi %s, %r#1 : i32
  tt.store %q, %t : !tt.ptr<i32>
  tt.return
}
"""
    )
    numbers = np.array([9, 2, 7, 5, 0, 6], np.int32)
    out = np.zeros(6, np.int32)
    run_text(text, [numbers, out], (6,))
    expected = [3 * n + pid if n > 5 else 3 * (n + pid) + 5 for pid, n in enumerate(numbers)]
    assert out.tolist() == expected


def test_pointers_and_tiles_survive_a_divergent_loop() -> None:
    text = (
        HEAD.replace("@k(", "@k(%data: !tt.ptr<f32>, %sums: !tt.ptr<f32>, ")
        + """
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %step = arith.constant dense<16> : tensor<16xi32>
  %s0 = tt.splat %data : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %a0 = tt.addptr %s0, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %w:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %acc = %z) -> (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) : i32 {
    %v = tt.load %a : tensor<16x!tt.ptr<f32>>
    %t = arith.addf %acc, %v : tensor<16xf32>
    %b = tt.addptr %a, %step : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    scf.yield %b, %t : tensor<16x!tt.ptr<f32>>, tensor<16xf32>
  }
  %last = tt.load %w#0 : tensor<16x!tt.ptr<f32>>
  %u = arith.addf %w#1, %last : tensor<16xf32>
  %c16 = arith.constant 16 : i32
  %row = arith.muli %pid, %c16 : i32
  %o = tt.addptr %sums, %row : !tt.ptr<f32>, i32
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %oa = tt.addptr %os, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %oa, %u : tensor<16x!tt.ptr<f32>>
  tt.return
}
"""
    )
    data = np.arange(160, dtype=np.float32).reshape(10, 16)
    counts = np.array([3, 0, 9, 3, 5], np.int32)
    sums = np.zeros((5, 16), np.float32)
    run_text(text, [data, sums, counts, np.zeros(5, np.int32)], (5,))
    assert np.array_equal(sums, np.stack([data[: n + 1].sum(0) for n in counts]))


LOCK = """
tt.func public @k(%lock: !tt.ptr<i32>, %total: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %held = arith.cmpi eq, %old, %c1 : i32
    scf.condition(%held)
  } do {
    scf.yield
  }
  %v = tt.load %total : !tt.ptr<i32>
  %w = arith.addi %v, %c1 : i32
  tt.store %total, %w : !tt.ptr<i32>
  UNLOCK
  tt.return
}
"""


def test_a_lock_lets_programs_in_one_by_one() -> None:
    unlock = "%o = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32"
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run_text(LOCK.replace("UNLOCK", unlock), [lock, total], (40,))
    assert total[0] == 40
    assert lock[0] == 0


def test_a_lock_that_is_never_released_is_an_error() -> None:
    with pytest.raises(
        LaunchError,
        match=r"waits for memory that no running program will change[\s\S]*program \(1, 0, 0\)",
    ):
        run_text(LOCK.replace("UNLOCK", ""), [np.zeros(1, np.int32), np.zeros(1, np.int32)], (2,))


BLOCK_LOCK = """
tt.func public @k(%lock: !tt.ptr<i32>, %total: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^bb1
^bb1:
  %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
  %held = arith.cmpi eq, %old, %c1 : i32
  cf.cond_br %held, ^bb1, ^bb2
^bb2:
  %v = tt.load %total : !tt.ptr<i32>
  %w = arith.addi %v, %c1 : i32
  tt.store %total, %w : !tt.ptr<i32>
  UNLOCK
  tt.return
}
"""


def test_a_lock_in_a_loop_of_blocks() -> None:
    unlock = "%o = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32"
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run_text(BLOCK_LOCK.replace("UNLOCK", unlock), [lock, total], (9,))
    assert total[0] == 9
    with pytest.raises(LaunchError, match="waits for memory that no running program will change"):
        run_text(BLOCK_LOCK.replace("UNLOCK", ""), [lock, total], (2,))


def test_a_step_of_zero_is_an_error() -> None:
    with pytest.raises(LaunchError, match="a loop's step must be positive"):
        outputs(SUM.replace("step %c1", "step %c0"), [1, 2])


def test_a_region_in_place() -> None:
    body = """
  %r = scf.execute_region -> i32 {
    %s = arith.addi %n, %pid : i32
    scf.yield %s : i32
  }
  tt.store %q, %r : !tt.ptr<i32>
  tt.return
"""
    assert outputs(body, [5, 6]) == [5, 7]
    with pytest.raises(LaunchError, match=r"scf\.execute_region of one block only"):
        outputs(body.replace("scf.yield", "cf.br ^bb1\n  ^bb1:\n    scf.yield"), [5])
