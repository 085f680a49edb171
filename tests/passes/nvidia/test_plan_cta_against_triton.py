"""The CTAs of a cluster split dots, reductions and accesses as in Triton.

The IR differs: Triton changes layouts along use-def chains, weft inserts conversions. The split of
each operation is the same.
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
def sum_kernel(x, o, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    total = tl.sum(tl.load(x + m[:, None] * N + n[None, :]), AXIS)
    tl.store(o + (m if AXIS else n), total)


@weft.jit
def softmax(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    offsets = m[:, None] * N + n[None, :]
    rows = tl.load(x + offsets)
    rows = tl.exp(rows - tl.max(rows, 1)[:, None])
    tl.store(o + offsets, rows / tl.sum(rows, 1)[:, None])


@weft.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (first + k)[None, :])
        right = tl.load(b + (first + k)[:, None] * N + n[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@weft.jit
def chained_dots(a, b, c, o, D: tl.constexpr):
    i, j = tl.arange(0, D), tl.arange(0, D)
    offsets = i[:, None] * D + j[None, :]
    first = tl.dot(tl.load(a + offsets), tl.load(b + offsets)).to(tl.float16)
    tl.store(o + offsets, tl.dot(first, tl.load(c + offsets)))


def before(kernel, signature: str, blocks: int) -> str:
    """Compile a kernel to the TTGIR that the pass runs on."""
    result = weft.compile(kernel, signature=signature, target="cuda:90", num_ctas=blocks)
    module = parse_module(print_module(result.module("ttir")))
    run_pipeline(parse_pipeline(BEFORE.replace("BLOCKS", str(blocks))), module)
    return print_module(module)


def splits(text: str) -> list[tuple[str, tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    """List (name, shape, CGA layout) of operations, each once: Triton duplicates operations."""
    result = set()
    for op in walk(parse_module(text)):
        if isinstance(op, tt.DotOp | tt.LoadOp):
            value = op.results[0]
        elif isinstance(op, tt.ReduceOp | tt.StoreOp):
            value = op.operands[0]
        else:
            continue
        result.add((op.name, types.shape(value.type), cga_bases(types.encoding(value.type))))
    return sorted(result)


def after(text: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(PLAN), module, verify=True)
    return print_module(module)


@pytest.mark.parametrize("blocks", [2, 4, 8])
@pytest.mark.parametrize(
    ("kernel", "signature"),
    [
        (sum_kernel, "*fp32:16, *fp32:16, 64, 128, 1"),
        (sum_kernel, "*fp32:16, *fp32:16, 64, 128, 0"),
        (softmax, "*fp32:16, *fp32:16, 16, 512"),
        *(
            (matmul, f"*fp16:16, *fp16:16, *fp32:16, i32:16, {rows}, {columns}, 32")
            for rows, columns in ((32, 128), (64, 64), (128, 256), (512, 64))
        ),
    ],
    ids=str,
)
def test_splits_are_tritons(kernel, signature, blocks):
    text = before(kernel, signature, blocks)
    ours = splits(after(text))
    assert ours
    assert ours == splits(triton_after(text, PLAN))


@pytest.mark.parametrize("rows", [1, 2])
def test_triton_aborts_on_fewer_rows_than_ctas(rows):
    text = before(sum_kernel, f"*fp32:16, *fp32:16, {rows}, 4096, 1", 4)
    (bases,) = {bases for name, _, bases in splits(after(text)) if name == "tt.reduce"}
    assert any(basis[1] for basis in bases)
    with pytest.raises(AssertionError, match="failed"):
        triton_after(text, PLAN)


def test_triton_aborts_on_two_dots():
    text = before(chained_dots, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, 64", 2)
    assert [name for name, *_ in splits(after(text))].count("tt.dot") == 1  # both have one split
    with pytest.raises(AssertionError, match="failed"):
        triton_after(text, PLAN)
