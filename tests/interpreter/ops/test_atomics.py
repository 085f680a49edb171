# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.kernels import DTYPES, elementwise, run_text

KINDS = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "add": lambda a, b: (a + b + 2**31) % 2**32 - 2**31,
    "max": max,
    "min": min,
    "umax": lambda a, b: max(a, b, key=lambda v: v % 2**32),
    "umin": lambda a, b: min(a, b, key=lambda v: v % 2**32),
    "exch": lambda a, b: b,
}


def kernel(kind: str, type_: str, uses: bool) -> str:
    operation = (
        f"%b = tt.splat %cells : !tt.ptr<{type_}> -> tensor<{{n}}x!tt.ptr<{type_}>>\n"
        f"%q = tt.addptr %b, %x0 : tensor<{{n}}x!tt.ptr<{type_}>>, tensor<{{n}}xi32>\n"
        f"%old = tt.atomic_rmw {kind}, acq_rel, gpu, %q, %x1, %x2 : "
        f"(tensor<{{n}}x!tt.ptr<{type_}>>, tensor<{{n}}x{type_}>, tensor<{{n}}xi1>) -> tensor<{{n}}x{type_}>\n"
        f"%y = arith.bitcast %{'old' if uses else 'x1'} : tensor<{{n}}x{type_}> to tensor<{{n}}x{type_}>"
    )
    text = elementwise(operation, ["i32", type_, "i1"], type_)
    return text.replace("tt.func public @k(", f"tt.func public @k(%cells: !tt.ptr<{type_}>, ")


@pytest.mark.parametrize("uses", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spread", [1, 3, 50])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_lanes_act_one_after_the_other(kind: str, uses: bool, spread: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.integers(-(2**31), 2**31, 50, dtype=np.int64).astype(np.int32)
    index = rng.integers(0, spread, 192).astype(np.int32)
    values = rng.integers(-(2**31), 2**31, 192, dtype=np.int64).astype(np.int32)
    mask = rng.integers(0, 4, 192) > 0
    model, old = cells.tolist(), [0] * 192
    for lane in range(192):
        if mask[lane]:
            old[lane] = model[index[lane]]
            model[index[lane]] = KINDS[kind](old[lane], int(values[lane]))
    out = np.zeros(192, np.int32)
    run_text(kernel(kind, "i32", uses), [cells, index, values, mask, out], (3,))
    assert cells.tolist() == model
    if uses:
        assert out.tolist() == old


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64"])
def test_float_sums_round_at_each_step(type_: str) -> None:
    dtype = DTYPES[type_]
    rng = np.random.default_rng(0)
    values = rng.standard_normal(128).astype(dtype)
    index = rng.integers(0, 2, 128).astype(np.int32)
    for uses in (True, False):
        cells, out = np.zeros(2, dtype), np.zeros(128, dtype)
        run_text(kernel("fadd", type_, uses), [cells, index, values, np.ones(128, bool), out], (2,))
        model = np.zeros(2, dtype)
        for i, v in zip(index, values, strict=True):
            model[i] = model[i] + v
        assert cells.tobytes() == model.tobytes()


def test_every_lane_of_every_program_counts_even_where_nothing_differs() -> None:
    text = """
tt.func public @k(%cell: !tt.ptr<i32>, %scalar: !tt.ptr<i32>) {
  %one = arith.constant dense<1> : tensor<32xi32>
  %c1 = arith.constant 1 : i32
  %p = tt.splat %cell : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %one : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>) -> tensor<32xi32>
  %s = tt.atomic_rmw add, relaxed, gpu, %scalar, %c1 : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
"""
    cell, scalar = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run_text(text, [cell, scalar], (5, 2))
    assert (cell[0], scalar[0]) == (320, 10)


def test_cas_lets_the_first_lane_in() -> None:
    text = elementwise(
        "%b = tt.splat %cells : !tt.ptr<i32> -> tensor<{n}x!tt.ptr<i32>>\n"
        "%q = tt.addptr %b, %x0 : tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>\n"
        "%y = tt.atomic_cas acq_rel, gpu, %q, %x1, %x2 : "
        "(tensor<{n}x!tt.ptr<i32>>, tensor<{n}xi32>, tensor<{n}xi32>) -> tensor<{n}xi32>",
        ["i32", "i32", "i32"],
        "i32",
    ).replace("tt.func public @k(", "tt.func public @k(%cells: !tt.ptr<i32>, ")
    rng = np.random.default_rng(0)
    cells = np.zeros(4, np.int32)
    index = rng.integers(0, 4, 128).astype(np.int32)
    expected, values = (rng.integers(0, 3, 128).astype(np.int32) for _ in "ab")
    model, old = cells.tolist(), []
    for i, e, v in zip(index, expected, values, strict=True):
        old.append(model[i])
        model[i] = int(v) if model[i] == e else model[i]
    out = np.zeros(128, np.int32)
    run_text(text, [cells, index, expected, values, out], (2,))
    assert cells.tolist() == model
    assert out.tolist() == old


def test_a_shared_counter_gives_each_program_its_own_number() -> None:
    text = """
tt.func public @k(%counter: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %n = tt.atomic_rmw add, acq_rel, gpu, %counter, %c1 : (!tt.ptr<i32>, i32) -> i32
  %p = tt.get_program_id x : i32
  %q = tt.addptr %out, %p : !tt.ptr<i32>, i32
  tt.store %q, %n : !tt.ptr<i32>
  tt.return
}
"""
    counter, out = np.zeros(1, np.int32), np.zeros(100, np.int32)
    run_text(text, [counter, out], (100,))
    assert out.tolist() == list(range(100))
