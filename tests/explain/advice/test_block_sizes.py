"""Parameters that are sizes of blocks, by what a kernel does with them."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.explain.advice import kernels
from weft.explain.advice.block_sizes import Share, block_sizes
from weft.kernel.kernel_interface import kernel_of


@weft.jit
def by_start(x, BLOCK: tl.constexpr, HEAD: tl.constexpr):
    start = tl.multiple_of(tl.program_id(0) * BLOCK, BLOCK)
    rows = start + tl.arange(0, BLOCK)
    tile = rows[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    tl.store(x + tile, 0.0)


@weft.jit
def by_loop(x, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        tl.store(x + start + tl.arange(0, BLOCK), 0.0)


@weft.jit
def by_count(x, n, BLOCK: tl.constexpr):
    pointers = x + tl.arange(0, BLOCK)
    for _ in range(tl.cdiv(n, BLOCK)):
        tl.store(pointers, 0.0)
        pointers += BLOCK


@weft.jit
def by_number(x, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    for _ in range(TIMES):
        tl.store(x + tl.arange(0, BLOCK), 0.0)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (by_start, {"BLOCK": Share.PROGRAM}),
        (by_loop, {"BLOCK": Share.ITERATION}),
        (by_count, {"BLOCK": Share.ITERATION}),
        (by_number, {}),
        (kernels.row_sum, {}),
        (kernels.copy, {"BLOCK": Share.PROGRAM}),
        (
            kernels.matmul,
            {"BLOCK_M": Share.PROGRAM, "BLOCK_N": Share.PROGRAM, "BLOCK_K": Share.ITERATION},
        ),
    ],
)
def test_block_sizes(kernel, expected):
    function = kernel_of(kernel)
    names = frozenset(each.name for each in function.parameters if each.is_constexpr)
    assert block_sizes(function.source.text, names) == expected
