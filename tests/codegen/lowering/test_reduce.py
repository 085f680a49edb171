"""Reductions: layouts, several operands and ties; sort and topk."""

from __future__ import annotations

from contextlib import closing

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same, require_text
from tests.codegen.tiles import layouts_for, tile_kernel
from weft.codegen import Machine, lower

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")
REDUCE = """
    %total = "tt.reduce"(%x) <{axis = AXIS : i32}> ({
    ^bb0(%u: {kind}, %v: {kind}):
      %t = arith.addi %u, %v : {kind}
      tt.reduce.return %t : {kind}
    }) : ({t}) -> tensor<KEPTx{kind}, #ttg.slice<{dim = AXIS, parent = #l}>>
    %e = tt.expand_dims %total {axis = AXIS : i32} :
        tensor<KEPTx{kind}, #ttg.slice<{dim = AXIS, parent = #l}>> -> tensor<EDGEx{kind}, #l>
    %s = tt.broadcast %e : tensor<EDGEx{kind}, #l> -> {t}
    tt.store %a, %s : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""
KINDS = [(target, name) for target in ("cuda:90", "hip:gfx942") for name in layouts_for(target)]


def reduced(target: str, layout: str, axis: int) -> str:
    body = REDUCE.replace("AXIS", str(axis)).replace("KEPT", ("32", "64")[axis])
    return tile_kernel(target, layout, 64, 32, "i32", body.replace("EDGE", ("1x32", "64x1")[axis]))


@pytest.mark.parametrize(("target", "name"), KINDS)
@pytest.mark.parametrize("axis", [0, 1])
def test_permuted_layout_bases(target, name, axis):
    require_text(reduced(target, layouts_for(target)[name], axis), tolerance=0)


@weft.jit
def extremes(
    x_ptr, value_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
    LEFT: tl.constexpr,
):  # fmt: skip
    """Find where the largest and the smallest of few different numbers are."""
    places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + places)
    most, at_most = tl.max(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    least, at_least = tl.min(x, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    index = tl.arange(0, N if AXIS == 0 else M)
    tl.store(value_ptr + index, most)
    tl.store(value_ptr + index + M * N, least)
    if LEFT:
        tl.store(index_ptr + index, at_most)
        tl.store(index_ptr + index + M * N, at_least)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("warps", [1, 8])
def test_argmax_tie_breaks_left(chip, axis, warps):
    compiled = weft.compile(
        extremes,
        signature=f"*i8:16, *i8:16, *i32:16, 32, 64, {axis}, constexpr",
        constexprs={"LEFT": True},
        target=chip,
        num_warps=warps,
    )
    require_same(compiled, tolerance=0)


@weft.jit
def total_of_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr):
    """Combine each row by one operation."""
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if OP == "add":
        total = tl.sum(x, 1)
    elif OP == "xor":
        total = tl.xor_sum(x, 1)
    elif OP == "max":
        total = tl.max(x, 1)
    else:
        total = tl.min(x, 1)
    tl.store(out_ptr + tl.arange(0, M), total)


def totals(chip: str, kind: str, op: str):
    return weft.compile(
        total_of_rows,
        signature=f"*{kind}:16, *{kind}:16, 4, 256, constexpr",
        constexprs={"OP": op},
        target=chip,
    )


ONE_INSTRUCTION = [
    ("cuda:80", "i32", "add", "redux.sync.add.s32"),
    ("cuda:80", "i32", "xor", "redux.sync.xor.b32"),
    ("cuda:90", "i32", "min", "redux.sync.min.s32"),
    ("cuda:90", "u32", "max", "redux.sync.max.u32"),
    ("cuda:100", "fp32", "max", "redux.sync.max.f32"),
    ("cuda:120", "fp32", "max", ""),
    ("cuda:90", "i64", "add", ""),
]


@pytest.mark.parametrize(("chip", "kind", "op", "instruction"), ONE_INSTRUCTION)
def test_redux_sync(chip, kind, op, instruction):
    compiled = totals(chip, kind, op)
    require_same(compiled, tolerance=0)
    with closing(Machine()) as machine:
        text = machine.emit(lower(compiled.module("ttgir")), "assembly").decode()
    if instruction:
        assert instruction in text
    else:
        assert "redux" not in text


@weft.jit
def largest_total(x_ptr, out_ptr, N: tl.constexpr):
    """Store one of two numbers by what all elements add up to, and where the largest is."""
    x = tl.load(x_ptr + tl.arange(0, N))
    where = tl.argmax(x, 0)
    if tl.sum(x, 0) > 0:
        tl.store(out_ptr, where * 2)
    else:
        tl.store(out_ptr + 1, where)


@pytest.mark.parametrize("kind", ["i8", "fp16", "fp32", "i64"])
@pytest.mark.parametrize(
    ("chip", "rows"), [("gfx90a", 4), ("gfx942", 4), ("gfx950", 4), ("gfx1201", 0)]
)
def test_lane_rows_are_combined_by_readlane(chip, rows, kind):
    """A lane of each row of 16 is read where no vector instruction takes from other rows."""
    compiled = weft.compile(
        largest_total, signature=f"*{kind}:16, *i32:16, 256", target=f"hip:{chip}", num_warps=1
    )
    require_same(compiled, tolerance=0)
    text = lower(compiled.module("ttgir")).text
    words = 2 if kind == "i64" else 1
    reads = rows * (words + 1 + words)  # of the largest and its place, and of the sum
    assert text.count(" = call i32 @llvm.amdgcn.readlane.i32(") == reads
    assert "ds.bpermute" not in text


@weft.jit
def both(a0, b0, c0, a1, b1, c1):
    """Combine values of three sizes, one of a single bit."""
    return a0 | a1, tl.maximum(b0, b1), c0 + c1


@weft.jit
def three_sizes(
    x_ptr, y_ptr, a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr
):
    """Reduce a bit, a byte and 64 bits at once."""
    places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x, y = tl.load(x_ptr + places), tl.load(y_ptr + places)
    a, b, c = tl.reduce((x > 40, x, y), AXIS, both)
    index = tl.arange(0, N if AXIS == 0 else M)
    tl.store(a_ptr + index, tl.where(a, 1, 2).to(tl.int8))
    tl.store(b_ptr + index, b)
    tl.store(c_ptr + index, c)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("sizes", "warps"), [((2, 128, 1), 4), ((64, 4, 0), 4), ((1, 64, 1), 2)])
def test_operands_of_several_sizes(chip, sizes, warps):
    compiled = weft.compile(
        three_sizes,
        signature=f"*i8:16, *i64:16, *i8:16, *i8:16, *i64:16, {', '.join(map(str, sizes))}",
        target=chip,
        num_warps=warps,
    )
    require_same(compiled, tolerance=0)


@weft.jit
def ordered(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Sort rows up, turn them round, and keep the largest."""
    places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + places)
    tl.store(out_ptr + places, tl.flip(tl.sort(x, 1), 1))
    few = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out_ptr + M * N + few, tl.topk(x, K))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    ("kind", "sizes", "warps"),
    [pytest.param("i32", (4, 32, 8), 1, marks=pytest.mark.slow), ("fp16", (8, 32, 4), 4)],
)
def test_sort(chip, kind, sizes, warps):
    compiled = weft.compile(
        ordered,
        signature=f"*{kind}:16, *{kind}:16, {', '.join(map(str, sizes))}",
        target=chip,
        num_warps=warps,
    )
    require_same(compiled, tolerance=0)


@weft.jit
def combine_moments(mean, squares, count, other_mean, other_squares, other_count):
    delta = other_mean - mean
    both = count + other_count
    share = other_count / both
    return (
        mean + delta * share,
        squares + other_squares + delta * delta * count * share,
        both,
    )


@weft.jit
def moments(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    """Compute mean and sum of squared deviations along an axis by a combination that divides."""
    places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + places)
    ones = tl.full([M, N], 1.0, tl.float32)
    mean, squares, count = tl.reduce((x, x * 0, ones), AXIS, combine_moments)
    index = tl.arange(0, N if AXIS == 0 else M)
    tl.store(out_ptr + index, mean)
    tl.store(out_ptr + M * N + index, squares / count)


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
@pytest.mark.parametrize("warps", [4, 16])
@pytest.mark.parametrize(("shape", "axis"), [((1, 2048), 1), ((4, 1024), 1), ((256, 8), 0)])
def test_partials_of_warps_are_combined_by_shuffles(chip, warps, shape, axis):
    signature = f"*fp32:16, *fp32:16, {shape[0]}, {shape[1]}, {axis}"
    compiled = weft.compile(moments, signature=signature, target=chip, num_warps=warps)
    require_same(compiled, tolerance=1e-5)


def test_long_combinations_of_many_warps_take_one_partial_per_lane():
    signature = "*fp32:16, *fp32:16, 1, 2048, 1"
    counts = {}
    for warps in (2, 16):
        compiled = weft.compile(moments, signature=signature, target="cuda:90", num_warps=warps)
        text = lower(compiled.module("ttgir")).text
        counts[warps] = text.count("call i32 @llvm.nvvm.shfl.sync.bfly")
    # Three values in five steps; with 16 warps, in four more.
    assert counts == {2: 15, 16: 27}
