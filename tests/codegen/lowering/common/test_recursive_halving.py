"""Reductions of several rows by recursive halving: every type, and few shuffles."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.ir import tt
from weft.ir.rewriting import walk
from weft.lowering_plans.reduction import waited_for


@weft.jit
def best(x, out, rows: tl.constexpr, columns: tl.constexpr, axis: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    count: tl.constexpr = rows if axis == 1 else columns
    tl.store(out + tl.arange(0, count), tl.argmax(tl.load(x + at), axis))


@weft.jit
def total(x, out, rows: tl.constexpr, columns: tl.constexpr, axis: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    count: tl.constexpr = rows if axis == 1 else columns
    tl.store(out + tl.arange(0, count), tl.sum(tl.load(x + at), axis))


@weft.jit
def largest(x, out, rows: tl.constexpr, columns: tl.constexpr, axis: tl.constexpr):
    at = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    count: tl.constexpr = rows if axis == 1 else columns
    tl.store(out + tl.arange(0, count), tl.max(tl.load(x + at), axis))


KINDS = ("fp32", "fp16", "fp64", "i8", "i64")
SHAPES = [(8, 256, 1, 4), (16, 32, 1, 1), (64, 64, 0, 8), (4, 64, 1, 2), (32, 8, 0, 4)]


def compiled(kernel, kind, shape, chip="cuda:90"):
    *numbers, num_warps = shape
    out = "i32" if kernel is best else kind
    signature = ", ".join(map(str, (f"*{kind}:16", f"*{out}:16", *numbers)))
    return weft.compile(kernel, signature=signature, target=chip, num_warps=num_warps)


def shuffles(made) -> int:
    return lower(made.module("ttgir")).text.count("= call i32 @llvm.nvvm.shfl")


@pytest.mark.parametrize(
    ("kernel", "kind", "shape"),
    [
        *((best, kind, SHAPES[n % 5]) for n, kind in enumerate(KINDS)),
        *((total, kind, SHAPES[(n + 2) % 5]) for n, kind in enumerate(KINDS)),
        *((largest, "fp16", shape) for shape in SHAPES),
    ],
)
def test_element_types(kernel, kind, shape):
    require_same(compiled(kernel, kind, shape), tolerance=1e-2 if kind == "fp16" else 1e-5)


@pytest.mark.parametrize("chip", ["hip:gfx942", "hip:gfx1201"])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_nearest_lanes_keep_butterfly_shuffles(chip, shape):
    require_same(compiled(best, "fp32", shape, chip))


def test_shuffle_count_for_four_rows():
    artifact = compiled(total, "fp32", (8, 256, 1, 4))
    assert shuffles(artifact) == 2 + 1 + 3 + 4  # in place of 4 · 5


def test_redux_types_are_not_halved():
    assert shuffles(compiled(largest, "i32", (8, 256, 1, 4))) == 0


@weft.jit
def online(x, out, n, rows: tl.constexpr, columns: tl.constexpr):
    """Sum exponentials of rows, part by part."""
    row, column = tl.arange(0, rows), tl.arange(0, columns)
    most, sums = tl.full((rows,), -1e30, tl.float32), tl.zeros((rows,), tl.float32)
    for first in range(0, n, columns):
        part = tl.load(x + row[:, None] * n + first + column[None, :])
        now = tl.maximum(most, tl.max(part, 1))
        sums = sums * tl.exp(most - now) + tl.sum(tl.exp(part - now[:, None]), 1)
        most = now
    tl.store(out + row, most + tl.log(sums))


def test_reductions_that_the_next_operation_waits_for():
    artifact = weft.compile(
        online, signature="*fp32:16, *fp32:16, i32:16, 64, 64", target="cuda:90"
    )
    actual = [op for op in walk(artifact.module("ttgir")) if isinstance(op, tt.ReduceOp)]
    assert [waited_for(op) for op in actual] == [True, False]
