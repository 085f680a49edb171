"""Dots by FMA iterate over K outermost, so that few operands are live."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower


@weft.jit
def product(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x = tl.load(x_ptr + m * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * N + n)
    tl.store(out_ptr + m * N + n, tl.dot(x, y, input_precision="ieee"))


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx1100"])
def test_k_is_the_outermost_loop(chip):
    compiled = weft.compile(product, signature="*fp32, *fp32, *fp32, 32, 32, 16", target=chip)
    require_same(compiled)
    steps: dict[str, int] = {}
    order = []
    for line in lower(compiled.module("ttgir")).text.splitlines():
        actual = re.search(r"(%\S+) = call float @llvm\.fma\.f32\(.*float (\S+)\)", line)
        if actual:
            steps[actual[1]] = steps.get(actual[2], 0) + 1
            order.append(steps[actual[1]])
    assert order == sorted(order)
    assert order[-1] == 16
