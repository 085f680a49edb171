"""Scans: axis, type, layout and direction, across registers, lanes and warps."""

from __future__ import annotations

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same, require_text
from tests.codegen.tiles import layouts_for, tile_kernel
from weft.codegen import lower
from weft.ir.text import parse_module

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")


@weft.jit
def running_sum(
    x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr
):
    """Sum along an axis."""
    places = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + places)
    tl.store(out_ptr + places, tl.cumsum(x, AXIS, reverse=REVERSE))


def summed(target: str, kind: str, sizes: tuple[int, int, int], warps: int, *, reverse: bool):
    return weft.compile(
        running_sum,
        signature=f"*{kind}:16, *{kind}:16, {', '.join(map(str, sizes))}, constexpr",
        constexprs={"REVERSE": reverse},
        target=target,
        num_warps=warps,
    )


SIZES = [(1, 1024, 1), (64, 32, 0), (64, 32, 1), (128, 8, 0), (4, 8, 1), (2, 2, 0)]


@pytest.mark.parametrize(("chip", "warps"), [("cuda:90", 1), ("cuda:90", 8), ("hip:gfx942", 4)])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_sums_along_each_axis(chip, warps, reverse, sizes):
    require_same(summed(chip, "i32", sizes, warps, reverse=reverse), tolerance=0)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", ["i8", "i16", "i64", "fp16", "bf16", "fp32", "fp64"])
def test_sums_of_every_type(chip, kind):
    tolerance = {"fp16": 2e-1, "bf16": 2e-1, "fp32": 1e-4}.get(kind, 1e-9)
    require_same(summed(chip, kind, (8, 64, 1), 4, reverse=False), tolerance=tolerance)


@weft.jit
def compose(a0, b0, c0, a1, b1, c1):
    """Compose x -> a·x + b, after which c is the last function's own; order matters."""
    return a1 * a0, (a1 * b0 + b1).to(tl.int32), c1


@weft.jit
def composed(x_ptr, y_ptr, z_ptr, a_ptr, b_ptr, c_ptr, N: tl.constexpr, REVERSE: tl.constexpr):
    """Compose N functions, of three types of coefficients."""
    index = tl.arange(0, N)
    a, b, c = tl.load(x_ptr + index), tl.load(y_ptr + index), tl.load(z_ptr + index) > 0
    a, b, c = tl.associative_scan((a, b, c), 0, compose, reverse=REVERSE)
    tl.store(a_ptr + index, a)
    tl.store(b_ptr + index, b)
    tl.store(c_ptr + index, tl.where(c, 1, 2).to(tl.int8))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    ("size", "warps", "reverse"), [(32, 1, False), (512, 4, True), (512, 8, False), (16, 4, True)]
)
def test_scan_of_several_operands_keeps_order(chip, reverse, size, warps):
    compiled = weft.compile(
        composed,
        signature=f"*i64:16, *i32:16, *i8:16, *i64:16, *i32:16, *i8:16, {size}, constexpr",
        constexprs={"REVERSE": reverse},
        target=chip,
        num_warps=warps,
    )
    require_same(compiled, tolerance=0)


SCAN = """
    %s = "tt.scan"(%x) <{axis = AXIS : i32, reverse = REVERSE}> ({
    ^bb0(%u: {kind}, %v: {kind}):
      %t = arith.addi %u, %v : {kind}
      tt.scan.return %t : {kind}
    }) : ({t}) -> {t}
    tt.store %a, %s : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""
KINDS = [("cuda:90", name) for name in layouts_for("cuda:90")]
KINDS += [("hip:gfx942", name) for name in layouts_for("hip:gfx942")]


def scanned(target: str, layout: str, axis: int, *, reverse: bool = False) -> str:
    body = SCAN.replace("AXIS", str(axis)).replace("REVERSE", str(reverse).lower())
    return tile_kernel(target, layout, 64, 32, "i32", body)


@pytest.mark.parametrize(("axis", "reverse"), [(0, False), (1, True)])
@pytest.mark.parametrize(("target", "name"), KINDS)
def test_permuted_layout_bases(target, name, axis, reverse):
    layout = layouts_for(target)[name]
    require_text(scanned(target, layout, axis, reverse=reverse), tolerance=0)


def test_two_warp_groups_along_a_dimension_have_separate_scratch():
    text = scanned("cuda:90", layouts_for("cuda:90")["warps apart"], 1)
    assert lower(parse_module(text)).shared_bytes == 4 * 64 * (32 + 32 // 8)
