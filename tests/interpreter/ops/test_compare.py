from __future__ import annotations

import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES, apply, elementwise, padded, run_text

INTS = [-128, -2, -1, 0, 1, 5, 127]
PAIRS = [(a, b) for a in INTS for b in INTS]
RELATION = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


@pytest.mark.parametrize(
    "predicate", ["eq", "ne", *(f"{s}{r}" for s in "su" for r in ("lt", "le", "gt", "ge"))]
)
def test_cmpi(predicate: str) -> None:
    a, b = (padded([p[i] for p in PAIRS], DTYPES["i8"]) for i in (0, 1))
    text = f"%y = arith.cmpi {predicate}, %x0, %x1 : tensor<{{n}}xi8>"
    result = apply(text, [("i8", a), ("i8", b)], "i1")
    x, y = (v.astype(int) % 256 if predicate[0] == "u" else v.astype(int) for v in (a, b))
    assert np.array_equal(result, RELATION[predicate[-2:]](x, y))


def test_cmpi_of_i1_takes_true_as_minus_one() -> None:
    a, b = padded([0, 0, 1, 1], DTYPES["i1"]), padded([0, 1, 0, 1], DTYPES["i1"])
    result = apply("%y = arith.cmpi slt, %x0, %x1 : tensor<{n}xi1>", [("i1", a), ("i1", b)], "i1")
    assert result[:4].tolist() == [False, False, True, False]


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64", "f8E5M2"])
@pytest.mark.parametrize("relation", RELATION)
def test_cmpf_ordered_is_false_and_unordered_true_on_nan(relation: str, type_: str) -> None:
    values = [-np.inf, -1.5, -0.0, 0.0, 2.0, np.inf, np.nan]
    pairs = [(a, b) for a in values for b in values]
    a, b = (padded([p[i] for p in pairs], DTYPES[type_]) for i in (0, 1))
    nan = np.isnan(a.astype(float)) | np.isnan(b.astype(float))
    plain = RELATION[relation](a.astype(float), b.astype(float))
    for kind, on_nan in (("o", False), ("u", True)):
        text = f"%y = arith.cmpf {kind}{relation}, %x0, %x1 : tensor<{{n}}x{type_}>"
        result = apply(text, [(type_, a), (type_, b)], "i1")
        assert np.array_equal(result, np.where(nan, on_nan, plain)), kind


@pytest.mark.parametrize(
    ("predicate", "on_nan", "else_"),
    [("ord", 0, 1), ("uno", 1, 0), ("true", 1, 1), ("false", 0, 0)],
)
def test_cmpf_without_a_relation(predicate: str, on_nan: int, else_: int) -> None:
    a, b = padded([np.nan, 1.0], DTYPES["f32"]), padded([1.0, 2.0], DTYPES["f32"])
    result = apply(
        f"%y = arith.cmpf {predicate}, %x0, %x1 : tensor<{{n}}xf32>", [("f32", a), ("f32", b)], "i1"
    )
    assert result[:2].tolist() == [bool(on_nan), bool(else_)]


@pytest.mark.parametrize("type_", ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"])
def test_select_keeps_every_bit(type_: str) -> None:
    rng = np.random.default_rng(1)
    c = rng.integers(0, 2, 256).astype(bool)
    size = DTYPES[type_].itemsize
    a, b = (rng.integers(0, 256, 256 * size, dtype=np.uint8) for _ in "ab")
    if type_ == "i1":
        a, b = a % 2, b % 2
    a, b = a.view(DTYPES[type_]), b.view(DTYPES[type_])
    text = f"%y = arith.select %x0, %x1, %x2 : tensor<{{n}}xi1>, tensor<{{n}}x{type_}>"
    result = apply(text, [("i1", c), (type_, a), (type_, b)], type_)
    assert result.tobytes() == np.where(c, a, b).tobytes()


def test_select_by_a_scalar_that_differs_between_programs() -> None:
    text = elementwise(
        "%one = arith.constant 1 : i32\n%odd = arith.andi %pid, %one : i32\n"
        "%c = arith.cmpi eq, %odd, %one : i32\n"
        "%y = arith.select %c, %x0, %x1 : tensor<{n}xf32>",
        ["f32", "f32"],
        "f32",
    )
    a, b = np.arange(256, dtype=np.float32), -np.arange(256, dtype=np.float32)
    out = np.zeros(256, np.float32)
    run_text(text, [a, b, out], (4,))
    assert np.array_equal(out, np.where(np.arange(256) // 64 % 2, a, b))


@pytest.mark.parametrize("predicate", ["slt", "sge", "sle", "sgt", "eq", "ne", "ult"])
@pytest.mark.parametrize("bound", [-1, 0, 17, 63, 64, 127, 128, 1000])
def test_ramps_compare_as_their_elements(predicate: str, bound: int) -> None:
    text = elementwise(
        f"%b = arith.constant dense<{bound}> : tensor<{{n}}xi32>\n"
        f"%y = arith.cmpi {predicate}, %index, %b : tensor<{{n}}xi32>",
        [],
        "i1",
    )
    out = np.zeros(128, bool)
    run_text(text, [out], (2,))
    numbers = np.arange(128)
    expected = bound % (1 << 32) if predicate[0] == "u" else bound
    assert np.array_equal(out, RELATION[predicate[-2:]](numbers, expected))
