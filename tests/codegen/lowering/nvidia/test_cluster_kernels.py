"""Kernels launched with several CTAs per cluster, compiled by the whole pipeline."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from tests.codegen.descriptors import assembles
from tests.examples.loading import load
from weft.codegen import lower
from weft.simulator import run as simulate

(ATTENTION, *_) = load("attention").CASES
BARRIER = "barrier.cluster.arrive"


@weft.jit
def softmax_row(x, o, N: tl.constexpr):
    places = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + places)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(o + places, row / tl.sum(row, 0))


@weft.jit
def sums_of_rows(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(o + m, tl.sum(tl.load(x + m[:, None] * N + n[None, :]), 1))


def compiled(kernel, signature: str, blocks: int, chip: str = "cuda:90"):
    return weft.compile(kernel, signature=signature, target=chip, num_ctas=blocks)


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_row_distributed_over_all_ctas(blocks):
    """Triton 3.7.1 does not compile this."""
    artifact = compiled(softmax_row, "*fp32:16, *fp32:16, 2048", blocks)
    require_same(artifact)
    assert lower(artifact.module("ttgir")).text.count(f"call void @llvm.nvvm.{BARRIER}") == 4


@pytest.mark.parametrize("blocks", [2, 4])
def test_independent_rows_stay_within_a_cta(blocks):
    artifact = compiled(sums_of_rows, "*fp32:16, *fp32:16, 64, 128", blocks)
    require_same(artifact)
    assert BARRIER not in lower(artifact.module("ttgir")).text


@weft.jit
def product(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TILES: tl.constexpr
):  # fmt: skip
    pm, pn = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BM, BN), tl.float32)
    if TILES:
        left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
        right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
        actual = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
        for k in range(0, K, BK):
            total = tl.dot(left.load([pm * BM, k]), right.load([k, pn * BN]), total)
        actual.store([pm * BM, pn * BN], total)
    else:
        m, n, k = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
        left = a + m[:, None] * K + k[None, :]
        right = b + k[:, None] * N + n[None, :]
        for _ in range(0, K, BK):
            total = tl.dot(tl.load(left), tl.load(right), total)
            left += BK
            right += BK * N
        tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("tiles", [0, 1])
@pytest.mark.parametrize(
    ("chip", "blocks", "sizes"),
    [
        ("cuda:90", 2, (128, 64, 32)),
        ("cuda:90", 4, (128, 128, 32)),
        ("cuda:90", 2, (16, 32, 16)),
        ("cuda:100", 2, (128, 128, 32)),
        ("cuda:100", 4, (128, 128, 32)),
        ("cuda:120", 2, (32, 64, 32)),
    ],
    ids=str,
)
def test_each_cta_multiplies_its_own_tile(chip, blocks, sizes, tiles):
    bm, bn, bk = sizes
    signature = f"*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16, {bm}, {bn}, {bk}, {tiles}"
    llvm = lower(compiled(product, signature, blocks, chip).module("ttgir"))
    random = np.random.default_rng(0)
    m, n, k = bm, 2 * bn, 3 * bk
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros(m * n, np.float32)
    simulate(
        llvm.text,
        grid=(1, 2),
        arguments=[a.reshape(-1), b.reshape(-1), c, m, n, k],
        warp_size=32,
        shared_bytes=llvm.shared_bytes,
        scratch_bytes=llvm.global_scratch_bytes,
    )
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c.reshape(m, n), expected, rtol=1e-3, atol=1e-2)
    assert BARRIER not in llvm.text


def test_chained_dots_stay_within_a_cta():
    kernel, signature, named, options, *_ = ATTENTION
    artifact = weft.compile(
        kernel, signature=signature, constexprs=named, target="cuda:90", **options | {"num_ctas": 2}
    )
    assert BARRIER not in lower(artifact.module("ttgir")).text
    assembles(artifact)


@weft.jit
def summed_tiles(x, y, rows, columns):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [32, 32])
    target = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [32, 32])
    place = [0, tl.program_id(0) * 32]
    target.atomic_add(place, source.load(place))


@pytest.mark.parametrize("blocks", [2, 4])
def test_tiles_are_atomically_added_once(blocks):
    require_same(compiled(summed_tiles, "*i32:16, *i32:16, i32:16, i32:16", blocks), tolerance=0)
