"""Which part each block of a cluster gets of dots, rows and accesses: the parts of Triton's plan.

The texts differ, for Triton changes layouts on the way where ours converts; the parts may not.
"""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.passes.triton_passes import triton_after
from weft.ir import tt, types
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.layouts.cga import cga_bases
from weft.passes import parse_pipeline, run_pipeline

pytestmark = pytest.mark.oracle
pytest.importorskip("triton")

PLAN = "triton-nvidia-gpu-plan-cta"
BEFORE = (
    "convert-triton-to-tritongpu{target=cuda:90 num-warps=4 threads-per-warp=32 num-ctas=BLOCKS},"
    "tritongpu-coalesce"
)


@weft.jit
def sums(x, o, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    found = tl.sum(tl.load(x + m[:, None] * N + n[None, :]), AXIS)
    tl.store(o + (m if AXIS else n), found)


@weft.jit
def softmax(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    places = m[:, None] * N + n[None, :]
    rows = tl.load(x + places)
    rows = tl.exp(rows - tl.max(rows, 1)[:, None])
    tl.store(o + places, rows / tl.sum(rows, 1)[:, None])


@weft.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (first + k)[None, :])
        right = tl.load(b + (first + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def before(kernel, signature: str, blocks: int) -> str:
    """Return the TTGIR that the plan is made for."""
    made = weft.compile(kernel, signature=signature, target="cuda:90", num_ctas=blocks)
    module = parse_module(print_module(made.module("ttir")))
    run_pipeline(parse_pipeline(BEFORE.replace("BLOCKS", str(blocks))), module)
    return print_module(module)


def shares(text: str) -> list[tuple[str, tuple[int, ...], object]]:
    """Return (name, shape, blocks' places) of what is cut, each once: Triton doubles operations."""
    found = set()
    for op in walk(parse_module(text)):
        if isinstance(op, tt.DotOp | tt.LoadOp):
            value = op.results[0]
        elif isinstance(op, tt.ReduceOp | tt.StoreOp):
            value = op.operands[0]
        else:
            continue
        found.add((op.name, types.shape(value.type), cga_bases(types.encoding(value.type))))
    return sorted(found)


def planned(text: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(PLAN), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize("blocks", [2, 4, 8])
@pytest.mark.parametrize(
    ("kernel", "signature"),
    [
        (sums, "*fp32:16, *fp32:16, 64, 128, 1"),
        (sums, "*fp32:16, *fp32:16, 64, 128, 0"),
        (softmax, "*fp32:16, *fp32:16, 16, 512"),
        *(
            (product, f"*fp16:16, *fp16:16, *fp32:16, i32:16, {rows}, {columns}, 32")
            for rows, columns in ((32, 128), (64, 64), (128, 256), (512, 64))
        ),
    ],
    ids=str,
)
def test_blocks_have_the_parts_of_tritons_plan(kernel, signature, blocks):
    text = before(kernel, signature, blocks)
    ours = shares(planned(text))
    assert ours
    assert ours == shares(triton_after(text, PLAN))


@pytest.mark.parametrize("rows", [1, 2])
def test_fewer_rows_than_blocks_are_refused_by_triton(rows):
    text = before(sums, f"*fp32:16, *fp32:16, {rows}, 4096, 1", 4)
    (part,) = {places for name, _, places in shares(planned(text)) if name == "tt.reduce"}
    assert any(place[1] for place in part)
    with pytest.raises(AssertionError, match="ended without an answer"):
        triton_after(text, PLAN)
