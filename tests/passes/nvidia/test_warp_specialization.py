"""Kernels with specialized loops on Hopper: the simulator computes what numpy does."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.codegen import lower
from weft.simulator import run as simulate

CHIP = "cuda:90"


@weft.jit
def product(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(
        tl.program_id(0), tl.cdiv(M, BM) * columns, PROGRAMS, warp_specialize=True
    ):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c.store([m, n], acc.to(tl.float16))


@weft.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, N, scale,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    q_desc = tl.make_tensor_descriptor(q_ptr, [N, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, [N, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, [N, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, [N, D], [D, 1], [BM, D])
    row = tl.program_id(0) * BM
    q = q_desc.load([row, 0])
    peak = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, N, BN, warp_specialize=True, num_stages=STAGES):
        s = tl.dot(q, k_desc.load([start, 0]).T) * scale
        new_peak = tl.maximum(peak, tl.max(s, 1))
        p = tl.math.exp2(s - new_peak[:, None])
        alpha = tl.math.exp2(peak - new_peak)
        total = total * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v_desc.load([start, 0]), acc * alpha[:, None])
        peak = new_peak
    o_desc.store([row, 0], (acc / total[:, None]).to(tl.float16))


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
    signature = f"*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16, {rows}, 64, 32, 1"
    text = run(product, signature, (1,), [a, b, c, m, n, k])
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
    with pytest.warns(UserWarning, match="passes only TMA loads between tasks"):
        text = run(
            product_of_pointers,
            "*fp16:16, *fp16:16, *fp32:16, i32:16, 64",
            (1,),
            [a, b, c, 128],
        )
    assert "ttg.warp_specialize" not in text
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(c, expected, 1e-2, 1e-2)
