# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES, run_text
from weft.errors import LaunchError


def tile(name: str, base: str, type_: str, rows: int, cols: int) -> str:
    return f"""
  %{name}r = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{rows}xi32>
  %{name}c = tt.make_range {{end = {cols} : i32, start = 0 : i32}} : tensor<{cols}xi32>
  %{name}re = tt.expand_dims %{name}r {{axis = 1 : i32}} : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
  %{name}ce = tt.expand_dims %{name}c {{axis = 0 : i32}} : tensor<{cols}xi32> -> tensor<1x{cols}xi32>
  %{name}w = arith.constant dense<{cols}> : tensor<{rows}x1xi32>
  %{name}o = arith.muli %{name}re, %{name}w : tensor<{rows}x1xi32>
  %{name}rb = tt.broadcast %{name}o : tensor<{rows}x1xi32> -> tensor<{rows}x{cols}xi32>
  %{name}cb = tt.broadcast %{name}ce : tensor<1x{cols}xi32> -> tensor<{rows}x{cols}xi32>
  %{name}i = arith.addi %{name}rb, %{name}cb : tensor<{rows}x{cols}xi32>
  %{name}n = arith.constant {rows * cols} : i32
  %{name}s = arith.muli %pid, %{name}n : i32
  %{name}b = tt.addptr {base}, %{name}s : !tt.ptr<{type_}>, i32
  %{name}t = tt.splat %{name}b : !tt.ptr<{type_}> -> tensor<{rows}x{cols}x!tt.ptr<{type_}>>
  %{name}a = tt.addptr %{name}t, %{name}i : tensor<{rows}x{cols}x!tt.ptr<{type_}>>, tensor<{rows}x{cols}xi32>
"""


def kernel(operation: str, tiles: dict[str, tuple[str, int, int]]) -> str:
    """Return a kernel that loads %a, %b, … and stores %d, the last of the tiles."""
    params = ", ".join(f"%p{n}: !tt.ptr<{t}>" for n, (t, _, _) in tiles.items())
    text = f"tt.func public @k({params}) {{\n  %pid = tt.get_program_id x : i32\n"
    for name, (type_, rows, cols) in tiles.items():
        text += tile(name, f"%p{name}", type_, rows, cols)
        pointers = f"tensor<{rows}x{cols}x!tt.ptr<{type_}>>"
        if name != "d":
            text += f"  %{name} = tt.load %{name}a : {pointers}\n"
        else:
            text += f"  {operation}\n  tt.store %da, %d : {pointers}\n"
    return text + "  tt.return\n}\n"


def dot(
    source: str, result: str, a: np.ndarray, b: np.ndarray, c: np.ndarray, precision: str = ""
) -> np.ndarray:
    m, k, n = a.shape[1], a.shape[2], b.shape[2]
    option = f", inputPrecision = {precision}" if precision else ""
    operation = f"%d = tt.dot %a, %b, %c{option} : tensor<{m}x{k}x{source}> * tensor<{k}x{n}x{source}> -> tensor<{m}x{n}x{result}>"
    tiles = {"a": (source, m, k), "b": (source, k, n), "c": (result, m, n), "d": (result, m, n)}
    d = np.zeros_like(c)
    run_text(kernel(operation, tiles), [a, b, c, d], (len(a),))
    return d


def operands(source: str, result: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = (3, 16, 32), (3, 32, 16), (3, 16, 16)
    if source[0] == "i":
        info = np.iinfo(DTYPES[source])
        output = [rng.integers(info.min, info.max, s, endpoint=True) for s in shapes]
    else:
        output = [rng.standard_normal(s) for s in shapes]
    a, b, c = output
    return a.astype(DTYPES[source]), b.astype(DTYPES[source]), c.astype(DTYPES[result])


@pytest.mark.parametrize(
    ("source", "result", "tolerance"),
    [("f16", "f32", 1e-5), ("bf16", "f32", 1e-5), ("f8E4M3FN", "f32", 1e-5), ("f8E5M2", "f32", 1e-5),
     ("f32", "f32", 1e-5), ("f64", "f64", 1e-13), ("f16", "f16", 1e-2)],
)  # fmt: skip
def test_dot_of_floats(source: str, result: str, tolerance: float) -> None:
    a, b, c = operands(source, result)
    expected = np.matmul(a.astype(np.float64), b.astype(np.float64)) + c.astype(np.float64)
    results = dot(source, result, a, b, c).astype(np.float64)
    np.testing.assert_allclose(results, expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("source", ["i8", "i16"])
def test_dot_of_integers_is_exact(source: str) -> None:
    a, b, c = operands(source, "i32")
    expected = np.matmul(a.astype(np.int64), b.astype(np.int64)) + c
    assert np.array_equal(dot(source, "i32", a, b, c), expected.astype(np.int32))


@pytest.mark.parametrize(
    ("precision", "low", "high"),
    [
        ("tf32", 1e-5, 3e-2),
        ("tf32x3", 0, 2e-5),
        ("bf16x3", 0, 2e-3),
        ("bf16x6", 0, 2e-5),
        ("ieee", 0, 2e-5),
    ],
)
def test_precision_of_f32_products(precision: str, low: float, high: float) -> None:
    a, b, c = operands("f32", "f32")
    expected = np.matmul(a.astype(np.float64), b.astype(np.float64)) + c
    error = np.abs(dot("f32", "f32", a, b, c, precision) - expected).max()
    assert low <= error <= high


def test_tf32_rounds_its_inputs_to_nearest() -> None:
    a = np.zeros((1, 16, 16), np.float32)
    a[0, 0, 0] = 1 + 2.0**-11 + 2.0**-13
    b = np.eye(16, dtype=np.float32)[None]
    d = dot("f32", "f32", a, b, np.zeros_like(a), "tf32")
    assert d[0, 0, 0] == 1 + 2.0**-10


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


@pytest.mark.parametrize(
    ("left", "right"),
    [("e4m3", "e5m2"), ("e2m1", "e4m3"), ("bf16", "e2m1"), ("e2m1", "e2m1"), ("fp16", "fp16")],
)
def test_dot_scaled(left: str, right: str) -> None:
    rng = np.random.default_rng(0)
    stored = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m1": "i8", "bf16": "bf16", "fp16": "f16"}
    m, n, k = 16, 16, 64

    def operand(kind: str, shape: tuple[int, int], axis: int) -> tuple[np.ndarray, np.ndarray]:
        if kind == "e2m1":
            codes = rng.integers(0, 16, shape)
            even, odd = (np.take(codes, range(i, shape[axis], 2), axis) for i in (0, 1))
            return (even | odd << 4).astype(np.uint8).view(np.int8), FP4[codes]
        x = rng.standard_normal(shape).astype(DTYPES[stored[kind]])
        return x, x.astype(np.float64)

    a, wide_a = operand(left, (m, k), 1)
    b, wide_b = operand(right, (k, n), 0)
    sa, sb = (rng.integers(120, 135, (s, k // 32)).astype(np.uint8).view(np.int8) for s in (m, n))
    scale = [np.repeat(2.0 ** (s.view(np.uint8).astype(int) - 127), 32, 1) for s in (sa, sb)]
    tiles = {
        "a": (stored[left], *a.shape), "b": (stored[right], *b.shape), "sa": ("i8", m, k // 32),
        "sb": ("i8", n, k // 32), "c": ("f32", m, n), "d": ("f32", m, n),
    }  # fmt: skip
    shaped = {name: f"tensor<{r}x{c}x{t}>" for name, (t, r, c) in tiles.items()}
    text = (
        f"%d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = {left} rhs = {right} {{fastMath = false}} : "
        f"{shaped['a']}, {shaped['sa']} * {shaped['b']}, {shaped['sb']} -> {shaped['d']}"
    )
    c, d = np.ones((m, n), np.float32), np.zeros((m, n), np.float32)
    run_text(kernel(text, tiles), [a, b, sa, sb, c, d])
    expected = (wide_a * scale[0]) @ (wide_b * scale[1].T) + 1
    np.testing.assert_allclose(d, expected, rtol=1e-5, atol=1e-2)


def test_a_scale_of_255_is_nan() -> None:
    tiles = {"a": ("f8E5M2", 16, 32), "b": ("f8E5M2", 32, 16), "sa": ("i8", 16, 1)}
    tiles |= {"c": ("f32", 16, 16), "d": ("f32", 16, 16)}
    text = "%d = tt.dot_scaled %a scale %sa, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x32xf8E5M2>, tensor<16x1xi8> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>"
    a, b, sa, c, d = (np.ones((rows, cols), DTYPES[t]) for t, rows, cols in tiles.values())
    sa[:] = 127
    sa[3] = -1
    run_text(kernel(text, tiles), [a, b, sa, c, d])
    assert np.isnan(d[3]).all()
    assert (np.delete(d, 3, 0) == 33).all()


def test_six_bit_floats_are_refused() -> None:
    tiles = {
        "a": ("i8", 16, 32),
        "b": ("i8", 32, 16),
        "sa": ("i8", 16, 1),
        "c": ("f32", 16, 16),
        "d": ("f32", 16, 16),
    }
    text = "%d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x1xi8> * tensor<32x16xi8> -> tensor<16x16xf32>"
    with pytest.raises(LaunchError, match=r"does not support 6-bit floats[\s\S]*e2m3"):
        run_text(kernel(text, tiles), [np.zeros((r, c), DTYPES[t]) for t, r, c in tiles.values()])
