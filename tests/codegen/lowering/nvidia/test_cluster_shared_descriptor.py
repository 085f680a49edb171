"""A descriptor whose two uses need different CTA layouts: each CTA copies the whole tile."""

from __future__ import annotations

import numpy as np

import weft
import weft.language as tl
from tests.codegen.descriptors import simulated


@weft.jit
def rows_by_rows(a_ptr, c_ptr, M, K, BM: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    acc = tl.zeros((BM, BM), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([0, k]), a.load([BM, k]).T, acc)
    m = tl.arange(0, BM)
    tl.store(c_ptr + m[:, None] * BM + m[None, :], acc)


def test_both_operands_of_a_dot_from_one_descriptor():
    compiled = weft.compile(
        rows_by_rows,
        signature="*fp16:16, *fp32:16, i32:16, i32:16, 128, 64",
        target="cuda:90",
        num_ctas=2,
    )
    a = np.random.default_rng(0).uniform(-1, 1, (256, 128)).astype(np.float16)
    c = np.zeros((128, 128), np.float32)
    simulated(compiled, (2,), [a, c, 256, 128])
    expected = a[:128].astype(np.float32) @ a[128:].astype(np.float32).T
    np.testing.assert_allclose(c, expected, 1e-3, 1e-3)
