"""Kernels with specialized loops on Hopper: the simulator computes what numpy does."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.oracle.kernels.warp_specialized import attention, persistent_product, shared_operand
from weft.codegen import lower
from weft.errors import IgnoredOptionWarning
from weft.simulator import run as simulate

CHIP = "cuda:90"


def run(
    kernel: weft.JITFunction, signature: str, grid: tuple[int, ...], arguments: list[object]
) -> str:
    """Compile a kernel, run it on the simulator, and return its TTGIR."""
    compiled = weft.compile(kernel, signature=signature, target=CHIP)
    llvm = lower(compiled.module("ttgir"))
    simulate(
        llvm.text,
        grid=grid,
        arguments=arguments,
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    return compiled.asm["ttgir"]


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float16)


@pytest.mark.parametrize(("rows", "partitions"), [(128, 2), (64, 2)])
def test_persistent_product(rows, partitions):
    m, n, k = 128, 128, 192
    a, b, c = random(0, m, k), random(1, n, k), np.zeros((m, n), np.float16)
    signature = f"*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, {rows}, 64, 32, 1, 0, 1"
    text = run(persistent_product, signature, (1,), [a, b, c, m, n, k])
    assert text.count("num_warps(4)") == partitions
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c.astype(np.float32), expected, 1e-2, 1e-2)


def test_attention():
    n, d = 128, 64
    q, k, v = random(0, n, d), random(1, n, d), random(2, n, d)
    out = np.zeros((n, d), np.float16)
    signature = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, fp32, 128, 32, 64, 2"
    text = run(attention, signature, (1,), [q, k, v, out, n, 0.25])
    assert text.count("num_warps(4)") == 2
    s = q.astype(np.float32) @ k.astype(np.float32).T * 0.25
    p = np.exp2(s - s.max(1, keepdims=True))
    expected = p / p.sum(1, keepdims=True) @ v.astype(np.float32)
    np.testing.assert_allclose(out.astype(np.float32), expected, 2e-2, 2e-2)


@weft.jit
def product_of_pointers(a_ptr, b_ptr, c_ptr, K, B: tl.constexpr):
    rows, k = tl.arange(0, B), tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for start in tl.range(0, K, B, warp_specialize=True):
        a = tl.load(a_ptr + rows[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + rows[:, None] * K + start + k[None, :])
        acc = tl.dot(a, b.T, acc)
    tl.store(c_ptr + rows[:, None] * B + k[None, :], acc)


def test_loads_by_pointer_stay_in_all_warps():
    """Triton 3.7.1 fails: it has no signal for the end of such a copy."""
    a, b, c = random(0, 64, 128), random(1, 64, 128), np.zeros((64, 64), np.float32)
    text = "warp_specialize has no effect on Hopper: .* passes only TMA loads between tasks"
    with pytest.warns(IgnoredOptionWarning, match=text):
        text = run(
            product_of_pointers,
            "*fp16:16, *fp16:16, *fp32:16, i32:16, 64",
            (1,),
            [a, b, c, 128],
        )
    assert "ttg.warp_specialize" not in text
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c, expected, 1e-2, 1e-2)


def test_work_that_two_consumers_cannot_share():
    """Triton 3.7.1 fails: it divides the rows of the sum, but not those of its start."""
    a, b, d = (random(seed, rows, 256) for seed, rows in enumerate((128, 64, 64)))
    c = np.zeros((128, 64), np.float16)
    signature = "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, 128, 64, 64"
    with pytest.warns(IgnoredOptionWarning) as caught:
        text = run(shared_operand, signature, (1, 1), [a, b, c, d, 128, 64, 256])
    (warning,) = caught
    assert str(warning.message) == (
        "shared_operand: warp_specialize has no effect on Hopper: two groups of warps cannot share "
        "the work of this tt.expand_dims; its loads are pipelined instead"
    )
    assert warning.filename == shared_operand.file
    assert "total[:, None]" in linecache.getline(warning.filename, warning.lineno)
    assert "ttg.warp_specialize" not in text
    assert "!ttg.memdesc<3x128x64xf16" in text, "the loads are pipelined"
    wide = a.astype(np.float32)
    product = wide @ b.astype(np.float32).T * (wide @ d.astype(np.float32).T)
    expected = product + wide.sum(1, keepdims=True)
    np.testing.assert_allclose(c.astype(np.float32), expected, 2e-2, 2e-1)
