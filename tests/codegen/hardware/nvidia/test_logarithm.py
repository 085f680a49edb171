"""Logarithms: error in units in the last place over whole binades, and special values."""

from __future__ import annotations

import numpy as np
import pytest

from weft.codegen.hardware.nvidia.logarithm import logarithm
from weft.codegen.llvm.writer import Writer
from weft.simulator import run

THREADS = 1024


def computed(values: np.ndarray, *, base_two: bool) -> np.ndarray:
    """Return logarithms as the written LLVM IR computes them."""
    w = Writer(prefix="%v")
    thread = w.call("i32", "llvm.nvvm.read.ptx.sreg.tid.x")
    block = w.call("i32", "llvm.nvvm.read.ptx.sreg.ctaid.x")
    index = w.value(f"add i32 {w.value(f'mul i32 {block}, {THREADS}')}, {thread}")
    address = w.value(f"getelementptr float, ptr addrspace(1) %p, i32 {index}")
    actual = logarithm(w, w.value(f"load float, ptr addrspace(1) {address}"), base_two=base_two)
    w.line(f"store float {actual}, ptr addrspace(1) {address}")
    w.line("ret void")
    text = (
        f'define ptx_kernel void @k(ptr addrspace(1) %p) "nvvm.reqntid"="{THREADS}" {{\n'
        f"entry:\n{w.body()}\n}}\n"
    )
    memory = values.copy()
    with np.errstate(all="ignore"):
        run(text, grid=(len(values) // THREADS,), arguments=[memory], warp_size=32)
    return memory


@pytest.mark.parametrize(("base_two", "units"), [(False, 1.0), (True, 2.0)])
def test_error_in_units_in_the_last_place(base_two, units):
    fractions = np.arange(0x3F800000, 0x40000000, 1021, dtype=np.int32).view(np.float32)
    every = [fractions * np.float32(2.0**power) for power in range(-30, 30)]
    values = np.concatenate([*every, np.float32(2.0) ** -np.arange(127, 149, dtype=np.float32)])
    values = values[: len(values) // THREADS * THREADS]
    true = (np.log2 if base_two else np.log)(values.astype(np.float64))
    unit = np.spacing(np.abs(true).astype(np.float32)).astype(np.float64)
    errors = np.abs(computed(values, base_two=base_two) - true)
    assert (errors / np.maximum(unit, np.finfo(np.float32).tiny))[true != 0].max() <= units
    assert (errors[true == 0] == 0).all()


@pytest.mark.parametrize("base_two", [False, True])
def test_zero_infinity_negative_numbers_and_nan(base_two):
    values = np.resize(np.array([0.0, -0.0, np.inf, -np.inf, -1.0, np.nan, 1.0], "f4"), THREADS)
    expected = [-np.inf, -np.inf, np.inf, np.nan, np.nan, np.nan, 0.0]
    np.testing.assert_array_equal(computed(values, base_two=base_two)[:7], expected)


def test_subnormals():
    values = np.full(THREADS, np.float32(2.0) ** np.float32(-140))
    np.testing.assert_array_equal(computed(values, base_two=True), np.float32(-140))
