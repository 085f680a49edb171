"""`tt.gather`: by shuffles within a warp, through shared memory otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same, require_text
from tests.codegen.running import interpreted, simulated
from tests.codegen.tiles import layouts_for, tile_kernel
from weft.codegen import lower
from weft.errors import OutOfBoundsError
from weft.ir.text import parse_module

CHIPS = ("cuda:80", "cuda:90", "hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201")


@weft.jit
def pick(
    x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    AXIS: tl.constexpr,
):  # fmt: skip
    """Pick K rows or columns of a tile, with an index for each element."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    if AXIS == 0:
        places = k[:, None] * N + n[None, :]
        index = (tl.load(index_ptr + places) & (M - 1)).to(tl.int32)
    else:
        places = m[:, None] * K + k[None, :]
        index = (tl.load(index_ptr + places) & (N - 1)).to(tl.int32)
    tl.store(out_ptr + places, tl.gather(x, index, AXIS))


@weft.jit
def pick_any(
    x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    AXIS: tl.constexpr,
):  # fmt: skip
    """Pick what the indices say, be they within the tile or not."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    places = k[:, None] * N + n[None, :] if AXIS == 0 else m[:, None] * K + k[None, :]
    tl.store(out_ptr + places, tl.gather(x, tl.load(index_ptr + places), AXIS))


def picked(chip: str, kind: str, sizes: tuple[int, int, int, int], warps: int, index: str = "i32"):
    return weft.compile(
        pick,
        signature=f"*{kind}:16, *{index}:16, *{kind}:16, {', '.join(map(str, sizes))}",
        target=chip,
        num_warps=warps,
    )


@pytest.mark.parametrize("sizes", [(64, 4, 64, 0), (16, 16, 4, 1)], ids=str)
@pytest.mark.parametrize("wrong", [-1, 64])
def test_index_out_of_bounds_is_reported(sizes, wrong):
    artifact = weft.compile(
        pick_any,
        signature=f"*fp32:16, *i32:16, *fp32:16, {', '.join(map(str, sizes))}",
        target="cuda:90",
    )
    x, index = np.zeros(64 * 4, np.float32), np.zeros(64 * 4, np.int32)
    index[7] = wrong
    with pytest.raises(OutOfBoundsError, match="outside of a tile"):
        interpreted(artifact.module("ttir"), [x, index, x])
    with pytest.raises(OutOfBoundsError, match="index outside of a tile"):
        simulated(artifact.module("ttgir"), [x, index, x])


SIZES = [(64, 4, 64, 0), (32, 64, 16, 0), (8, 64, 128, 1), (16, 16, 4, 1), (4, 2, 2, 0)]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("warps", [1, 4])
def test_gather_along_each_axis(chip, sizes, warps):
    require_same(picked(chip, "fp32", sizes, warps), tolerance=0)


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx942"])
@pytest.mark.parametrize("kind", ["i8", "fp16", "bf16", "i64", "fp64"])
@pytest.mark.parametrize("index", ["i16", "i32"])
def test_element_and_index_types(chip, kind, index):
    require_same(picked(chip, kind, (32, 16, 32, 0), 4, index), tolerance=0)


PICK = """
    %last = arith.constant dense<LAST> : {t}
    %i = arith.andi %x, %last : {t}
    %s = tt.gather %x[%i] {axis = AXIS : i32} : ({t}, {t}) -> {t}
    tt.store %a, %s : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
"""
KINDS = [(target, name) for target in ("cuda:90", "hip:gfx942") for name in layouts_for(target)]


@pytest.mark.parametrize(("target", "name"), KINDS)
@pytest.mark.parametrize("axis", [0, 1])
def test_permuted_layout_bases(target, name, axis):
    body = PICK.replace("AXIS", str(axis)).replace("LAST", str((64, 32)[axis] - 1))
    text = tile_kernel(target, layouts_for(target)[name], 64, 32, "i32", body)
    require_text(text, tolerance=0)


@pytest.mark.parametrize(
    ("target", "shuffle"), [("cuda:90", "shfl.sync.idx"), ("hip:gfx942", "bpermute")]
)
def test_gather_within_a_warp_needs_no_shared_memory(target, shuffle):
    lanes = 32 if target == "cuda:90" else 64
    layout = (
        f"#ttg.blocked<{{sizePerThread = [2, 1], threadsPerWarp = [{lanes}, 1],"
        " warpsPerCTA = [1, 4], order = [0, 1]}>"
    )
    body = PICK.replace("AXIS", "0").replace("LAST", "63")
    text = tile_kernel(target, layout, 64, 8, "i32", body)
    require_text(text, tolerance=0)
    llvm = lower(parse_module(text))
    assert llvm.shared_bytes == 0
    registers = (
        64 // lanes
    )  # registers that an element may be in, for each of two columns of as many
    assert llvm.text.count("call i32 @llvm") >= 2 * registers * max(1, 64 // lanes)
    assert shuffle in llvm.text
