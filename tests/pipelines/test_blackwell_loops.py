"""Pipelined loops of Blackwell compute what numpy computes, for any number of iterations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.examples.loading import load
from weft.codegen import lower
from weft.kernel.compiled_kernel import CompiledKernel
from weft.simulator import run as simulate

CHIP = "cuda:100"
random = np.random.default_rng(0)


def run(compiled: CompiledKernel, grid: tuple[int, ...], arguments: Sequence[object]) -> None:
    """Run a kernel in the simulator."""
    llvm = lower(compiled.module("ttgir"))
    simulate(
        llvm.text,
        grid=grid,
        arguments=arguments,
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )


def is_pipelined(compiled: CompiledKernel) -> bool:
    """Check whether MMAs arrive on several mbarriers."""
    text = str(compiled.asm["ttgir"])
    return "is_async" in text and "2x1xi64" in text


def tile(*shape: int, dtype: type = np.float16) -> np.ndarray:
    return random.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("num_stages", [2, 3, 4])
def test_matmul(num_stages: int):
    m, n, block = 128, 32, 32
    compiled = weft.compile(
        load("matmul").matmul,
        signature="*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, "
        f"{m}, {n}, {block}, 4, constexpr",
        constexprs={"ACTIVATION": "none"},
        target=CHIP,
        options={"num_stages": num_stages},
    )
    assert is_pipelined(compiled)
    for k in (0, 16, 32, 64, 112, 160):
        a, b, c = tile(m, max(k, 16)), tile(max(k, 16), n), np.empty((m, n), np.float16)
        run(compiled, (1,), [a, b, c, m, n, k, a.shape[1], n, n])
        expected = a[:, :k].astype(np.float32) @ b[:k].astype(np.float32)
        np.testing.assert_allclose(c, expected, 1e-2, 2e-2)


@pytest.mark.parametrize("num_stages", [2, 4])
def test_matmul_through_descriptors(num_stages: int):
    m, n, block = 64, 32, 32
    compiled = weft.compile(
        load("matmul_descriptor").matmul_descriptor,
        signature=f"*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, {m}, {n}, {block}",
        target=CHIP,
        options={"num_stages": num_stages},
    )
    assert is_pipelined(compiled)
    for k in (32, 48, 160):
        a, b, c = tile(m + 16, k), tile(n, k), np.empty((m + 16, n), np.float16)
        run(compiled, (1, 2), [a, b, c, m + 16, n, k])
        expected = a.astype(np.float32) @ b.astype(np.float32).T
        np.testing.assert_allclose(c, expected, 1e-2, 2e-2)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool):
    head = 32
    compiled = weft.compile(
        load("attention").attention,
        signature="*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, fp32, "
        f"128, 32, {head}, constexpr",
        constexprs={"CAUSAL": causal},
        target=CHIP,
    )
    assert is_pipelined(compiled)
    for length in (16, 176):
        q, k, v = (tile(1, length, head) for _ in range(3))
        o = np.empty_like(q)
        scale = head**-0.5
        grid = (weft.cdiv(length, 128), 1)
        run(compiled, grid, [q, k, v, o, length, length * head, head, scale * np.log2(np.e)])
        scores = scale * q[0].astype(np.float64) @ k[0].astype(np.float64).T
        if causal:
            scores[np.triu_indices(length, 1)] = -np.inf
        weights = np.exp(scores - scores.max(1, keepdims=True))
        expected = weights / weights.sum(1, keepdims=True) @ v[0].astype(np.float64)
        np.testing.assert_allclose(o[0], expected, 1e-2, 5e-3)


@weft.jit
def stored_in_parts(
    a_ptr, b_ptr, init_ptr, out_ptr, steps, every,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Store a sum every few steps, start over, and store what remains."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    place = m[:, None] * BN + n[None, :]
    acc = tl.load(init_ptr + place)
    for step in range(0, steps):
        a = tl.load(a_ptr + step * BM * BK + m[:, None] * BK + k[None, :])
        b = tl.load(b_ptr + step * BN * BK + k[:, None] * BN + n[None, :])
        acc = tl.dot(a, b, acc)
        if step % every == every - 1:
            tl.store(out_ptr + (step // every) * BM * BN + place, acc)
            acc = tl.zeros((BM, BN), tl.float32)
    tl.store(out_ptr + (steps // every) * BM * BN + place, acc)


@pytest.mark.parametrize("num_stages", [2, 3])
def test_accumulator_with_several_buffers(num_stages: int):
    m, n, k = 128, 32, 32
    compiled = weft.compile(
        stored_in_parts,
        signature=f"*fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, {m}, {n}, {k}",
        target=CHIP,
        options={"num_stages": num_stages},
    )
    assert f"2x{m}x{n}xf32" in str(compiled.asm["ttgir"])
    for steps, every in ((0, 1), (1, 2), (3, 1), (4, 2), (5, 2)):
        a, b = tile(max(steps, 1), m, k), tile(max(steps, 1), k, n)
        init = tile(m, n, dtype=np.float32)
        actual = np.zeros((steps // every + 1, m, n), np.float32)
        run(compiled, (1,), [a, b, init, actual, steps, every])
        expected, acc = np.zeros_like(actual), init
        for step in range(steps):
            acc = acc + a[step].astype(np.float32) @ b[step].astype(np.float32)
            if step % every == every - 1:
                expected[step // every], acc = acc, np.zeros_like(acc)
        expected[steps // every] = acc
        np.testing.assert_allclose(actual, expected, 1e-4, 1e-4)
