# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.interpreter.kernels import run_text
from weft.errors import LaunchError, OutOfBoundsError

BLOCK = """
tt.func public @k(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %m: i64, %n: i64, %sm: i64, %sn: i64) {
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i32
  %c8 = arith.constant 8 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = arith.constant 0 : i32
  %i = arith.muli %x, %c8 : i32
  %j = arith.muli %y, %c16 : i32
  %p = tt.make_tensor_ptr %src, [%m, %n], [%sm, %sn], [%i, %z] {order = array<i32: 1, 0>} : !tt.ptr<tensor<8x16xf32>>
  %q = tt.advance %p, [%z, %j] : !tt.ptr<tensor<8x16xf32>>
  %v = tt.load %q {boundaryCheck = array<i32: CHECK>, padding = PAD : i32} : !tt.ptr<tensor<8x16xf32>>
  %w = arith.addf %v, %v : tensor<8x16xf32>
  %o = tt.make_tensor_ptr %dst, [%m, %n], [%n, %c1], [%i, %j] {order = array<i32: 1, 0>} : !tt.ptr<tensor<8x16xf32>>
  tt.store %o, %w {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<8x16xf32>>
  tt.return
}
"""


@pytest.mark.parametrize(("m", "n"), [(32, 32), (29, 32), (32, 27), (13, 19)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_block_pointers_stay_inside(m: int, n: int, order: Literal["C", "F"]) -> None:
    x = np.asarray(np.random.default_rng(0).standard_normal((m, n)).astype(np.float32), order=order)
    y = np.zeros((m, n), np.float32)
    text = BLOCK.replace("CHECK", "0, 1").replace("PAD", "1")
    run_text(text, [x, y, m, n, x.strides[0] // 4, x.strides[1] // 4], (4, 2))
    assert np.array_equal(y, x + x)


def test_an_unchecked_axis_is_not_checked() -> None:
    x = np.zeros((29, 16), np.float32)
    with pytest.raises(OutOfBoundsError, match="load outside of array src"):
        run_text(
            BLOCK.replace("CHECK", "1").replace("PAD", "1"), [x, x.copy(), 29, 16, 16, 1], (4, 1)
        )


@pytest.mark.parametrize(("padding", "value"), [("1", 0.0), ("2", np.nan)])
def test_padding_of_a_block_pointer(padding: str, value: float) -> None:
    text = BLOCK.replace("CHECK", "0, 1").replace("PAD", padding)
    text = text.replace("[%n, %c1], [%i, %j]", "[%n, %c1], [%i, %j]").replace(
        "%dst, [%m, %n]", "%dst, [%big, %big]"
    )
    text = text.replace("%c1 = arith", "%big = arith.constant 100 : i64\n  %c1 = arith").replace(
        "[%n, %c1]", "[%c16l, %c1]"
    )
    text = text.replace("%c8 =", "%c16l = arith.constant 16 : i64\n  %c8 =")
    y = np.zeros((8, 16), np.float32)
    run_text(text, [np.ones((5, 11), np.float32), y, 5, 11, 11, 1])
    assert (y[:5, :11] == 2).all()
    rest = np.ones((8, 16), bool)
    rest[:5, :11] = False
    assert np.array_equal(y[rest], np.full(rest.sum(), value, np.float32), equal_nan=True)


DESC = """
tt.func public @k(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %m: i32, %n: i32, %sm: i64) {
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i32
  %c8 = arith.constant 8 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %i = arith.muli %x, %c8 : i32
  %j = arith.muli %y, %c16 : i32
  %d = tt.make_tensor_descriptor %src, [%m, %n], [%sm, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<8x16xf32>>
  %e = tt.make_tensor_descriptor %dst, [%m, %n], [%sm, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<8x16xf32>>
  %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  STORE
  tt.return
}
"""


@pytest.mark.parametrize(
    ("store", "wanted"),
    [
        ("descriptor_store %e", lambda x, y: x),
        ("descriptor_reduce add, %e", lambda x, y: x + y),
        ("descriptor_reduce max, %e", np.maximum),
    ],
)
@pytest.mark.parametrize(("m", "n"), [(16, 32), (13, 20)])
def test_descriptors_load_store_and_reduce(store: str, wanted: object, m: int, n: int) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((m, 32)).astype(np.float32) for _ in "xy")
    model = y.copy()
    model[:, :n] = wanted(x[:, :n], y[:, :n])  # pyright: ignore
    text = DESC.replace(
        "STORE", f"tt.{store}[%i, %j], %v : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>"
    )
    run_text(text, [x, y, m, n, 32], (2, 2))
    assert np.array_equal(y, model)


GATHER = """
tt.func public @k(%src: !tt.ptr<f32>, %dst: !tt.ptr<f32>, %rows: !tt.ptr<i32>, %m: i32, %n: i32) {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i32
  %nl = arith.extsi %n : i32 to i64
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %rows : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %p, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %x = tt.load %q : tensor<8x!tt.ptr<i32>>
  %d = tt.make_tensor_descriptor %src, [%m, %n], [%nl, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<1x16xf32>>
  %e = tt.make_tensor_descriptor %dst, [%m, %n], [%nl, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<1x16xf32>>
  %v = tt.descriptor_gather %d[%x, %c4] : (!tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  tt.descriptor_scatter %e[%x, %c4], %v : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<8x16xf32>
  tt.return
}
"""


def test_descriptor_gather_and_scatter_by_row() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((12, 18)).astype(np.float32), np.zeros((12, 18), np.float32)
    rows = np.array([3, 0, 11, 7, 12, 5, -1, 9], np.int32)
    run_text(GATHER, [x, y, rows, 12, 18])
    model = np.zeros_like(y)
    remaining = rows[(rows >= 0) & (rows < 12)]
    model[remaining, 4:] = x[remaining, 4:]
    assert np.array_equal(y, model)


def test_a_descriptor_argument_takes_shape_and_strides_from_the_array() -> None:
    text = """
tt.func public @k(%d: !tt.tensordesc<tensor<8x16xf32>>, %e: !tt.tensordesc<tensor<8x16xf32>>) {
  %z = arith.constant 0 : i32
  %v = tt.descriptor_load %d[%z, %z] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.descriptor_store %e[%z, %z], %v : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.return
}
"""
    x, y = np.arange(60, dtype=np.float32).reshape(5, 12), np.zeros((5, 12), np.float32)
    run_text(text, [x, y])
    assert np.array_equal(x, y)
    with pytest.raises(LaunchError, match=r"argument d has the wrong rank[\s\S]*2 dimensions"):
        run_text(text, [x.ravel(), y])
