"""Loops with a condition loaded from memory: of a kernel, all lanes of a warp leave together."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from tests.codegen.running import interpreted, simulated
from weft.codegen import lower
from weft.codegen.backend.ptxas import ptxas_for
from weft.compiler.machine_code import assemble_cubin

CHIPS = ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201")


@weft.jit
def walked(x, out, size: tl.constexpr):
    """Add tiles up to the first number that is not smaller, and sum what they have come to."""
    places = tl.arange(0, size)
    total = tl.zeros((size,), tl.float32)
    step = 0
    measure = tl.load(x)
    while (measure < 1.0) & (step < 9):
        total += tl.load(x + step * size + places)
        step += 1
        measure = tl.sum(total * 0.01)
    tl.store(out + places, tl.cumsum(total, 0))
    tl.store(out + size, tl.sum(total))


def compiled(chip):
    return weft.compile(walked, signature="*fp32:16, *fp32:16, 64", target=chip, num_warps=1)


@pytest.mark.parametrize("chip", CHIPS)
def test_loop_condition_from_memory(chip):
    artifact = compiled(chip)
    require_same(artifact, tolerance=1e-4)
    agreed = "llvm.nvvm.vote.any.sync(i32 -1, i1 %" in lower(artifact.module("ttgir")).text
    assert agreed == chip.startswith("cuda")


def test_shuffles_after_a_loop_are_inlined():
    if ptxas_for("sm_80") is None:
        pytest.skip("no ptxas that knows sm_80 on this machine")
    image = assemble_cubin(lower(compiled("cuda:80").module("ttgir"))).image
    assert b"shflsync" not in image


@weft.jit
def divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@weft.jit
def halvings(a):
    count = 0
    while a > 1:
        a = a // 2
        count += 1
    return count


@weft.jit(noinline=True)
def out_of_line(a):
    return halvings(a)


@weft.jit
def of_elements(x, out, size: tl.constexpr):
    places = tl.arange(0, size)
    value = tl.load(x + places)
    tl.store(out + places, tl.map_elementwise(halvings, value))
    tl.store(out + size + places, tl.associative_scan(value, 0, divisor))
    tl.store(out + 2 * size + places, tl.map_elementwise(out_of_line, value))
    tl.store(out + 3 * size, tl.reduce(value, 0, divisor))


@pytest.mark.parametrize("chip", CHIPS)
def test_each_lane_leaves_a_loop_over_its_element_by_itself(chip):
    size = 128
    module = weft.compile(of_elements, signature=f"*i32:16, *i32:16, {size}", target=chip).module(
        "ttgir"
    )
    x = np.random.default_rng(0).integers(1, 1 << 20, size).astype(np.int32) * 6
    arguments = [x, np.zeros(3 * size + 1, np.int32)]
    out = simulated(module, arguments)[1]
    np.testing.assert_array_equal(out, interpreted(module, arguments)[1])
    np.testing.assert_array_equal(out[:size], np.log2(x).astype(np.int32))
    np.testing.assert_array_equal(out[size : 2 * size], np.gcd.accumulate(x))
    assert out[-1] == np.gcd.reduce(x)
