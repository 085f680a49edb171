"""Dots that two consumers share on Hopper: each computes and stores its own rows."""

from __future__ import annotations

import numpy as np

import weft
import weft.language as tl
from weft.codegen import lower
from weft.simulator import run as simulate

M, N, K = 128, 64, 64


@weft.jit
def row_maxima(a_ptr, b_ptr, c_ptr, limit, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Rows by descriptor and by pointer: `row` is the index of a tile, and added to a range."""
    a = tl.make_tensor_descriptor(a_ptr, [256, 64], [64, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [64, 64], [64, 1], [BN, BK])
    row = (tl.program_id(0) + 1) * BM
    peak = tl.zeros((BM,), tl.float32)
    for k in tl.range(0, 64, BK, warp_specialize=True):
        peak = tl.maximum(peak, tl.max(tl.dot(a.load([row, k]), b.load([0, k]).T), 1))
    rows = row + tl.arange(0, BM)
    tl.store(c_ptr + rows, peak, mask=rows < limit)


def test_a_range_beside_the_index_of_a_tile_is_divided_once():
    """Triton 3.7.1 adds the index of the consumer's part to the range as well."""
    generator = np.random.default_rng(0)
    a, b = (generator.uniform(-1, 1, (rows, K)).astype(np.float16) for rows in (256, N))
    c = np.zeros(512, np.float32)
    compiled = weft.compile(
        row_maxima, signature="*fp16:16, *fp16:16, *fp32:16, i32, 128, 64, 32", target="cuda:90"
    )
    assert compiled.asm["ttgir"].count("num_warps(4)") == 2
    llvm = lower(compiled.module("ttgir"))
    simulate(
        llvm.text,
        grid=(1,),
        arguments=[a, b, c, 250],
        warp_size=llvm.target.threads_per_warp,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    slices = [(a[:, k : k + 32], b[:, k : k + 32]) for k in (0, 32)]
    steps = [x.astype(np.float32) @ y.astype(np.float32).T for x, y in slices]
    expected = np.zeros(512, np.float32)
    expected[128:250] = np.maximum(0, np.max(steps, (0, 2)))[128:250]
    np.testing.assert_allclose(c, expected, 1e-2, 1e-2)
