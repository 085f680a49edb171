# ruff: noqa: E501 - IR text and tables of cases stay on their lines
from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES, run_text

ROWS, COLS = 8, 16


def kernel(body: str, types: list[str], results: list[tuple[str, tuple[int, ...]]]) -> str:
    """Return a kernel: 8×16 tiles %x0, %x1, … of several programs in, results %y0, … out."""
    params = [f"%p{i}: !tt.ptr<{t}>" for i, t in enumerate(types)]
    params += [f"%q{i}: !tt.ptr<{t}>" for i, (t, _) in enumerate(results)]
    lines = [f"tt.func public @k({', '.join(params)}) {{", "%pid = tt.get_program_id x : i32"]

    def addresses(name: str, base: str, type_: str, shape: tuple[int, ...]) -> None:
        dims = "x".join(map(str, shape))
        size = int(np.prod(shape))
        lines.extend(
            [
                f"%{name}c = arith.constant {size} : i32",
                f"%{name}s = arith.muli %pid, %{name}c : i32",
                f"%{name}r = tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32>",
                f"%{name}b = tt.splat %{name}s : i32 -> tensor<{size}xi32>",
                f"%{name}i = arith.addi %{name}b, %{name}r : tensor<{size}xi32>",
                f"%{name}j = tt.reshape %{name}i : tensor<{size}xi32> -> tensor<{dims}xi32>",
                f"%{name}p = tt.splat {base} : !tt.ptr<{type_}> -> tensor<{dims}x!tt.ptr<{type_}>>",
                f"%{name}a = tt.addptr %{name}p, %{name}j : tensor<{dims}x!tt.ptr<{type_}>>, tensor<{dims}xi32>",
            ]
        )

    for i, t in enumerate(types):
        addresses(f"in{i}", f"%p{i}", t, (ROWS, COLS))
        lines.append(f"%x{i} = tt.load %in{i}a : tensor<{ROWS}x{COLS}x!tt.ptr<{t}>>")
    lines.append(body)
    for i, (t, shape) in enumerate(results):
        addresses(f"out{i}", f"%q{i}", t, shape)
        dims = "x".join(map(str, shape))
        lines.append(f"tt.store %out{i}a, %y{i} : tensor<{dims}x!tt.ptr<{t}>>")
    return "\n".join([*lines, "tt.return", "}"])


def reduce_text(name: str, type_: str, axis: int) -> str:
    size = COLS if axis == 0 else ROWS
    return (
        f'%y0 = "tt.reduce"(%x0) <{{axis = {axis} : i32}}> ({{\n^bb0(%a: {type_}, %b: {type_}):\n'
        f"%c = arith.{name} %a, %b : {type_}\ntt.reduce.return %c : {type_}\n}}) : "
        f"(tensor<{ROWS}x{COLS}x{type_}>) -> tensor<{size}x{type_}>"
    )


def scan_text(name: str, type_: str, axis: int, reverse: bool) -> str:
    tile = f"tensor<{ROWS}x{COLS}x{type_}>"
    return (
        f'%y0 = "tt.scan"(%x0) <{{axis = {axis} : i32, reverse = {str(reverse).lower()}}}> ({{\n'
        f"^bb0(%a: {type_}, %b: {type_}):\n%c = arith.{name} %a, %b : {type_}\n"
        f"tt.scan.return %c : {type_}\n}}) : ({tile}) -> {tile}"
    )


INTEGER = {
    "addi": np.add, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
    "xori": np.bitwise_xor, "maxsi": np.maximum, "minsi": np.minimum,
}  # fmt: skip


def tiles(type_: str, programs: int = 3) -> np.ndarray:
    rng = np.random.default_rng(4)
    if type_ in ("f16", "bf16", "f32", "f64"):
        return rng.integers(-8, 8, (programs, ROWS, COLS)).astype(np.float32).astype(DTYPES[type_])
    return rng.integers(-100, 100, (programs, ROWS, COLS)).astype(DTYPES[type_])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("name", INTEGER)
def test_integer_reductions_and_scans(name: str, type_: str, axis: int) -> None:
    x = tiles(type_)
    shape = (COLS,) if axis == 0 else (ROWS,)
    y = np.zeros((3, *shape), x.dtype)
    run_text(kernel(reduce_text(name, type_, axis), [type_], [(type_, shape)]), [x, y], (3,))
    assert np.array_equal(y, INTEGER[name].reduce(x, axis=axis + 1, dtype=x.dtype))
    for reverse in (False, True):
        z = np.zeros_like(x)
        run_text(
            kernel(scan_text(name, type_, axis, reverse), [type_], [(type_, (ROWS, COLS))]),
            [x, z],
            (3,),
        )
        source = np.flip(x, axis + 1) if reverse else x
        expected = INTEGER[name].accumulate(source, axis=axis + 1, dtype=x.dtype)
        assert np.array_equal(z, np.flip(expected, axis + 1) if reverse else expected)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize(
    ("name", "ufunc"),
    [
        ("addf", np.add),
        ("maxnumf", np.fmax),
        ("minnumf", np.fmin),
        ("maximumf", np.maximum),
        ("minimumf", np.minimum),
    ],
)
def test_float_reductions(name: str, ufunc: np.ufunc, type_: str) -> None:
    x = tiles(type_)
    x[1, 2, 3] = np.nan
    y = np.zeros((3, ROWS), x.dtype)
    run_text(kernel(reduce_text(name, type_, 1), [type_], [(type_, (ROWS,))]), [x, y], (3,))
    expected = ufunc.reduce(x.astype(np.float64), axis=2).astype(x.dtype)
    assert np.array_equal(y.astype(float), expected.astype(float), equal_nan=True)


@pytest.mark.parametrize(("name", "ufunc"), [("maxui", np.maximum), ("minui", np.minimum)])
def test_unsigned_reductions(name: str, ufunc: np.ufunc) -> None:
    x, y = tiles("i32"), np.zeros((3, ROWS), np.int32)
    run_text(kernel(reduce_text(name, "i32", 1), ["i32"], [("i32", (ROWS,))]), [x, y], (3,))
    assert np.array_equal(y.view(np.uint32), ufunc.reduce(x.view(np.uint32), axis=2))


def test_a_sum_counts_each_element_of_a_splat() -> None:
    body = "%one = arith.constant dense<1.0> : tensor<8x16xf32>\n" + reduce_text(
        "addf", "f32", 1
    ).replace("(%x0)", "(%one)")
    y = np.zeros((2, ROWS), np.float32)
    run_text(kernel(body, [], [("f32", (ROWS,))]), [y], (2,))
    assert (y == COLS).all()


ARG = """
%r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
%e = tt.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
%i = tt.broadcast %e : tensor<1x16xi32> -> tensor<8x16xi32>
%y0, %y1 = "tt.reduce"(%x0, %i) <{axis = 1 : i32}> ({
^bb0(%v0: TYPE, %i0: i32, %v1: TYPE, %i1: i32):
  %same = EQUAL, %v0, %v1 : TYPE
  %lower = arith.cmpi slt, %i0, %i1 : i32
  %tie = arith.andi %same, %lower : i1
  %better = BETTER, %v0, %v1 : TYPE
  %wins = arith.ori %better, %tie : i1
  %v = arith.select %wins, %v0, %v1 : TYPE
  %j = arith.select %wins, %i0, %i1 : i32
  tt.reduce.return %v, %j : TYPE, i32
}) : (tensor<8x16xTYPE>, tensor<8x16xi32>) -> (tensor<8xTYPE>, tensor<8xi32>)
"""


@pytest.mark.parametrize("type_", ["f32", "bf16", "i32"])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_argmax_takes_the_first(kind: str, type_: str) -> None:
    x = tiles(type_)
    prefix = ("arith.cmpi ", "s") if type_[0] == "i" else ("arith.cmpf ", "o")
    text = ARG.replace("EQUAL", prefix[0] + ("eq" if type_[0] == "i" else "oeq"))
    text = text.replace(
        "BETTER", prefix[0] + prefix[1] + ("gt" if kind == "max" else "lt")
    ).replace("TYPE", type_)
    values, places = np.zeros((3, ROWS), x.dtype), np.zeros((3, ROWS), np.int32)
    run_text(kernel(text, [type_], [(type_, (ROWS,)), ("i32", (ROWS,))]), [x, values, places], (3,))
    wide = x.astype(np.float64)
    assert np.array_equal(places, getattr(np, f"arg{kind}")(wide, axis=2))
    assert np.array_equal(values.astype(float), getattr(np, kind)(wide, axis=2))


def test_a_region_that_is_not_commutative_runs_in_order() -> None:
    """Compose the affine maps x → m·x + b along an axis: associative and not commutative."""
    body = """
%m, %b = "tt.NAME"(%x0, %x1) <{axis = 1 : i32EXTRA}> ({
^bb0(%m0: i64, %b0: i64, %m1: i64, %b1: i64):
  %p = arith.muli %m1, %m0 : i64
  %q = arith.muli %m1, %b0 : i64
  %s = arith.addi %q, %b1 : i64
  tt.NAME.return %p, %s : i64, i64
}) : (tensor<8x16xi64>, tensor<8x16xi64>) -> RESULT
%y0 = arith.addi %m, %m : tensor<SHAPExi64>
%y1 = arith.addi %b, %b : tensor<SHAPExi64>
"""
    m, b = tiles("i64") % 3 - 1, tiles("i64")[::-1].copy()

    def compose(x: list[tuple[int, int]]) -> list[tuple[int, int]]:
        total, out = (1, 0), []
        for slope, shift in x:
            total = (slope * total[0], slope * total[1] + shift)
            out.append(total)
        return out

    run = np.array(
        [
            [compose(list(zip(mr, br, strict=True))) for mr, br in zip(mp, bp, strict=True)]
            for mp, bp in zip(m.tolist(), b.tolist(), strict=True)
        ]
    )
    text = (
        body.replace("NAME", "reduce")
        .replace("EXTRA", "")
        .replace("RESULT", "(tensor<8xi64>, tensor<8xi64>)")
        .replace("SHAPE", "8")
    )
    y0, y1 = (np.zeros((3, ROWS), np.int64) for _ in "ab")
    run_text(kernel(text, ["i64", "i64"], [("i64", (ROWS,))] * 2), [m, b, y0, y1], (3,))
    assert np.array_equal(y0, 2 * run[:, :, -1, 0])
    assert np.array_equal(y1, 2 * run[:, :, -1, 1])
    text = (
        body.replace("NAME", "scan")
        .replace("EXTRA", ", reverse = false")
        .replace("RESULT", "(tensor<8x16xi64>, tensor<8x16xi64>)")
        .replace("SHAPE", "8x16")
    )
    z0, z1 = (np.zeros((3, ROWS, COLS), np.int64) for _ in "ab")
    run_text(kernel(text, ["i64", "i64"], [("i64", (ROWS, COLS))] * 2), [m, b, z0, z1], (3,))
    assert np.array_equal(z0, 2 * run[..., 0])
    assert np.array_equal(z1, 2 * run[..., 1])


def test_a_region_may_read_what_differs_between_programs_and_branch() -> None:
    body = """
%c1 = arith.constant 1 : i32
%bias = arith.addi %pid, %c1 : i32
%y0 = "tt.reduce"(%x0) <{axis = 1 : i32}> ({
^bb0(%a: i32, %b: i32):
  %less = arith.cmpi slt, %a, %b : i32
  %r = scf.if %less -> (i32) {
    %s = arith.addi %b, %bias : i32
    scf.yield %s : i32
  } else {
    %t = arith.subi %a, %bias : i32
    scf.yield %t : i32
  }
  tt.reduce.return %r : i32
}) : (tensor<8x16xi32>) -> tensor<8xi32>
"""
    x, y = tiles("i32"), np.zeros((3, ROWS), np.int32)
    run_text(kernel(body, ["i32"], [("i32", (ROWS,))]), [x, y], (3,))

    def tree(values: list[int], bias: int) -> int:
        while len(values) > 1:
            pairs = zip(values[::2], values[1::2], strict=True)
            values = [b + bias if a < b else a - bias for a, b in pairs]
        return values[0]

    assert y.tolist() == [
        [tree(row, pid + 1) for row in tile] for pid, tile in enumerate(x.tolist())
    ]


def test_a_region_may_vary_where_its_operand_does_not() -> None:
    body = """
%five = arith.constant dense<5> : tensor<8x16xi32>
%y0 = "tt.reduce"(%five) <{axis = 1 : i32}> ({
^bb0(%a: i32, %b: i32):
  %s = arith.addi %a, %b : i32
  %t = arith.addi %s, %pid : i32
  tt.reduce.return %t : i32
}) : (tensor<8x16xi32>) -> tensor<8xi32>
"""
    y = np.zeros((3, ROWS), np.int32)
    run_text(kernel(body, [], [("i32", (ROWS,))]), [y], (3,))
    assert np.array_equal(y, np.repeat(80 + 15 * np.arange(3), ROWS).reshape(3, ROWS))


def test_map_elementwise() -> None:
    body = """
%y0 = "tt.map_elementwise"(%x0, %x1) <{pack = 2 : i32}> ({
^bb0(%a0: i32, %a1: i32, %b0: i32, %b1: i32):
  %s = arith.addi %a0, %b1 : i32
  %t = arith.subi %a1, %b0 : i32
  tt.map_elementwise.return %s, %t : i32, i32
}) : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
"""
    a, b, y = tiles("i32"), tiles("i32")[::-1].copy(), np.zeros((3, ROWS, COLS), np.int32)
    run_text(kernel(body, ["i32", "i32"], [("i32", (ROWS, COLS))]), [a, b, y], (3,))
    assert np.array_equal(y[..., ::2], a[..., ::2] + b[..., 1::2])
    assert np.array_equal(y[..., 1::2], a[..., 1::2] - b[..., ::2])
