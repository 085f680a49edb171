"""Dots of few rows: the vector ALU's dot instructions compute what the interpreter does."""

from __future__ import annotations

from copy import deepcopy

import ml_dtypes
import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compiler.machine_code import lower_ttgir
from weft.interpreter import run as interpret
from weft.simulator import run as simulate
from weft.targets.matrix_units import matrix_units

CHIPS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
TYPES = {
    "f16": ("*fp16", "*fp32", np.float16, np.float32),
    "bf16": ("*bf16", "*fp32", ml_dtypes.bfloat16, np.float32),
    "i8": ("*i8", "*i32", np.int8, np.int32),
}
INSTRUCTIONS = {"fdot2": "v_dot2", "fdot2.f32.bf16": "v_dot2", "sdot4": "v_dot4"}


@weft.jit
def two_rows(a_ptr, b_ptr, c_ptr, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr):
    """A product with too few rows for a matrix instruction."""
    m, n, k = tl.arange(0, 2), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, out_dtype=T))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", TYPES)
def test_few_rows(chip, kind, machine):
    operand, result, dtype, result_dtype = TYPES[kind]
    columns, depth = 32, 16
    compiled = weft.compile(
        two_rows,
        signature=f"{operand}:16, {operand}:16, {result}:16, {columns}, {depth}, {result[1:]}",
        target=f"hip:{chip}",
        num_warps=1,
    )
    random = np.random.default_rng(0)
    arguments = [(random.standard_normal(size * depth) * 10).astype(dtype) for size in (2, columns)]
    arguments.append(np.zeros(2 * columns, result_dtype))
    expected = deepcopy(arguments)
    interpret(compiled.module("ttir"), "two_rows", (1,), expected)
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=arguments,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
    )
    np.testing.assert_allclose(arguments[2], expected[2], 1e-5, 1e-3)
    rows = [row for row in matrix_units(chip).vector if row.a == kind]
    if rows:
        assert INSTRUCTIONS[rows[0].name] in machine.emit(llvm, "assembly").decode()
