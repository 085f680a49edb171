# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import elementwise, run_text
from tests.interpreter.ops.test_reduction import COLS, ROWS, kernel, tiles
from weft.errors import OutOfBoundsError

T, R = "tensor<8x16xi32>", "tensor<16x8xi32>"


def one(body: str, shape: tuple[int, ...], inputs: int = 1) -> tuple[list[np.ndarray], np.ndarray]:
    xs = [tiles("i32") + i for i in range(inputs)]
    y = np.zeros((3, *shape), np.int32)
    run_text(kernel(body, ["i32"] * inputs, [("i32", shape)]), [*xs, y], (3,))
    return xs, y


def test_trans_and_reshape() -> None:
    (x,), y = one(f"%y0 = tt.trans %x0 {{order = array<i32: 1, 0>}} : {T} -> {R}", (COLS, ROWS))
    assert np.array_equal(y, x.transpose(0, 2, 1))
    (x,), y = one(f"%y0 = tt.reshape %x0 : {T} -> tensor<4x32xi32>", (4, 32))
    assert np.array_equal(y, x.reshape(3, 4, 32))


def test_reshape_of_a_splat_and_of_a_half_splat() -> None:
    body = (
        f"%s = tt.splat %pid : i32 -> {T}\n%r = tt.reshape %s : {T} -> tensor<128xi32>\n"
        "%c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
        "%e = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>\n"
        f"%b = tt.broadcast %e : tensor<1x16xi32> -> {T}\n"
        f"%f = tt.reshape %b : {T} -> tensor<128xi32>\n%y0 = arith.addi %r, %f : tensor<128xi32>"
    )
    _, y = one(body, (128,))
    assert np.array_equal(y, np.arange(3)[:, None] + np.tile(np.arange(16), 8))


def test_join_split_cat() -> None:
    (a, b), y = one(f"%y0 = tt.join %x0, %x1 : {T} -> tensor<8x16x2xi32>", (8, 16, 2), 2)
    assert np.array_equal(y, np.stack((a, b), -1))
    body = f"%r = tt.reshape %x0 : {T} -> tensor<8x8x2xi32>\n%l, %h = tt.split %r : tensor<8x8x2xi32> -> tensor<8x8xi32>\n%y0 = arith.subi %l, %h : tensor<8x8xi32>"
    (x,), y = one(body, (8, 8))
    assert np.array_equal(y, x[..., ::2] - x[..., 1::2])
    (a, b), y = one(f"%y0 = tt.cat %x0, %x1 : {T} -> tensor<16x16xi32>", (16, 16), 2)
    assert np.array_equal(y, np.concatenate((a, b), 1))


def test_join_and_split_of_splats() -> None:
    text = elementwise(
        "%s = tt.splat %pid : i32 -> tensor<32xi32>\n%z = arith.constant dense<7> : tensor<32xi32>\n"
        "%j = tt.join %s, %z : tensor<32xi32> -> tensor<32x2xi32>\n"
        "%y = tt.reshape %j : tensor<32x2xi32> -> tensor<64xi32>",
        [],
        "i32",
    )
    out = np.zeros(128, np.int32)
    run_text(text, [out], (2,))
    assert out.tolist() == [0, 7] * 32 + [1, 7] * 32


def test_unsplat_and_convert_layout() -> None:
    text = """
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %s = ttg.convert_layout %r : tensor<64xi32, #b> -> tensor<64xi32, #c>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #c>
  %q = tt.addptr %p, %s : tensor<64x!tt.ptr<i32>, #c>, tensor<64xi32, #c>
  tt.store %q, %s : tensor<64x!tt.ptr<i32>, #c>
  %o = arith.constant dense<5> : tensor<1xi32, #b>
  %u = tt.unsplat %o : tensor<1xi32, #b>
  tt.store %out, %u : !tt.ptr<i32>
  tt.return
}
}
"""
    out = np.zeros(64, np.int32)
    run_text(text, [out])
    assert out.tolist() == [5, *range(1, 64)]


@pytest.mark.parametrize("axis", [0, 1])
def test_gather(axis: int) -> None:
    size = (ROWS, COLS)[axis]
    body = f"%y0 = tt.gather %x0[%x1] {{axis = {axis} : i32}} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>"
    x = tiles("i32")
    index = np.random.default_rng(0).integers(0, size, x.shape).astype(np.int32)
    y = np.zeros_like(x)
    run_text(kernel(body, ["i32", "i32"], [("i32", (8, 16))]), [x, index, y], (3,))
    assert np.array_equal(y, np.take_along_axis(x, index, axis + 1))


@pytest.mark.parametrize("wrong", [-1, 16])
def test_a_gather_outside_of_the_tile_names_the_index(wrong: int) -> None:
    body = "%y0 = tt.gather %x0[%x1] {axis = 1 : i32} : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>"
    x = tiles("i32")
    index = np.zeros(x.shape, np.int32)
    index[1, 3, 5] = wrong
    with pytest.raises(
        OutOfBoundsError, match="gather outside of a tile of 16 along axis 1"
    ) as caught:
        run_text(
            kernel(body, ["i32", "i32"], [("i32", (8, 16))]), [x, index, np.zeros_like(x)], (3,)
        )
    assert f"index {wrong} at tile element (3, 5) in program (1, 0, 0)" in str(caught.value)


def test_histogram_with_and_without_a_mask() -> None:
    x = np.random.default_rng(0).integers(0, 20, 128).astype(np.int32)
    mask = x % 3 > 0
    for masked in (False, True):
        text = elementwise(
            f"%h = tt.histogram %x0{', %x1' if masked else ''} : tensor<64xi32> -> tensor<16xi32>\n"
            "%j = tt.join %h, %h : tensor<16xi32> -> tensor<16x2xi32>\n"
            "%f = tt.reshape %j : tensor<16x2xi32> -> tensor<32xi32>\n"
            "%c = tt.cat %f, %f : tensor<32xi32> -> tensor<64xi32>\n%y = arith.addi %c, %c : tensor<64xi32>",
            ["i32", "i1"],
            "i32",
        )
        out = np.zeros(128, np.int32)
        run_text(text, [x, mask, out], (2,))
        for program, numbers in enumerate(x.reshape(2, 64)):
            remaining = numbers[mask.reshape(2, 64)[program]] if masked else numbers
            counts = np.bincount(remaining[remaining < 16], minlength=16)
            assert np.array_equal(out.reshape(2, 64)[program], 2 * np.tile(np.repeat(counts, 2), 2))
