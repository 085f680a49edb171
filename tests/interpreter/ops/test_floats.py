from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interpreter.kernels import DTYPES, apply, padded

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    3.5,
    65504.0,
    1e-7,
    5e-8,
    1e30,
    np.inf,
    -np.inf,
    np.nan,
    2.0**-24,
    1e-40,
]
PAIRS = [(a, b) for a in SPECIAL for b in SPECIAL]
TYPES = ["f16", "bf16", "f32", "f64"]
ARITHMETIC = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}


def exactly(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare bit by bit, any NaN being any other."""
    nan = np.isnan(wanted.astype(np.float64))
    assert np.array_equal(nan, np.isnan(found.astype(np.float64)))
    assert found[~nan].tobytes() == wanted[~nan].tobytes()


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", ARITHMETIC)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_arithmetic_rounds_once(name: str, type_: str, data: st.DataObject) -> None:
    floats = st.floats(width=16 if type_ in ("f16", "bf16") else 32) | st.sampled_from(SPECIAL)
    pairs = PAIRS + data.draw(st.lists(st.tuples(floats, floats), max_size=800))
    with np.errstate(all="ignore"):
        a, b = (padded([p[i] for p in pairs], DTYPES[type_]) for i in (0, 1))
        wide = np.longdouble if type_ == "f64" else np.float64
        # f64 is more than twice as wide as these types, so rounding its result is rounding once.
        expected = ARITHMETIC[name](a.astype(wide), b.astype(wide))
        expected = ARITHMETIC[name](a, b) if type_ in ("f32", "f64") else _round(expected, type_)
    result = apply(
        f"%y = arith.{name} %x0, %x1 : tensor<{{n}}x{type_}>", [(type_, a), (type_, b)], type_
    )
    exactly(result, expected)


def _distance(exact: Fraction, option: np.generic) -> tuple[Fraction, int]:
    """Order floats by how far they are from a number, even ones first."""
    odd = int(np.array([option]).view(f"u{option.dtype.itemsize}")[0]) & 1
    return abs(Fraction(float(option)) - exact), odd


def _round(x: np.ndarray, type_: str) -> np.ndarray:
    """Round f64 to a type by choosing the nearest of two neighbours, in Python's exact numbers."""
    dtype = DTYPES[type_]
    bits = np.dtype(f"u{dtype.itemsize}")
    near = x.astype(np.float32).astype(dtype)
    out = near.copy()
    for i, value in enumerate(x):
        if not math.isfinite(value) or not math.isfinite(float(near[i])):
            continue
        code = int(near[i : i + 1].view(bits)[0])
        options = [np.array([c], bits).view(dtype)[0] for c in (code - 1, code, code + 1) if c >= 0]
        options = [
            o
            for o in options
            if (math.isfinite(float(o)) and (float(o) < 0) == (value < 0)) or float(o) == 0
        ]
        best = min(options, key=partial(_distance, Fraction(float(value))))
        out[i] = best if float(best) else near[i]
    return out


@pytest.mark.parametrize("type_", TYPES)
def test_maxnum_ignores_nan_and_maximum_returns_it(type_: str) -> None:
    a, b = (padded([p[i] for p in PAIRS], DTYPES[type_]) for i in (0, 1))
    x, y = a.astype(float), b.astype(float)
    for name, expected in (
        ("maxnumf", np.fmax(x, y)),
        ("minnumf", np.fmin(x, y)),
        ("maximumf", np.maximum(x, y)),
        ("minimumf", np.minimum(x, y)),
    ):
        result = apply(
            f"%y = arith.{name} %x0, %x1 : tensor<{{n}}x{type_}>", [(type_, a), (type_, b)], type_
        )
        assert np.array_equal(result.astype(float), expected, equal_nan=True), name


def test_maximum_puts_plus_zero_above_minus_zero() -> None:
    a, b = (
        padded([0.0, -0.0, -0.0, 0.0], DTYPES["f32"]),
        padded([-0.0, 0.0, -0.0, 0.0], DTYPES["f32"]),
    )
    greater = apply(
        "%y = arith.maximumf %x0, %x1 : tensor<{n}xf32>", [("f32", a), ("f32", b)], "f32"
    )
    smaller = apply(
        "%y = arith.minimumf %x0, %x1 : tensor<{n}xf32>", [("f32", a), ("f32", b)], "f32"
    )
    assert np.signbit(greater[:4]).tolist() == [False, False, True, False]
    assert np.signbit(smaller[:4]).tolist() == [True, True, True, False]


@pytest.mark.parametrize("type_", [*TYPES, "f8E4M3FN", "f8E5M2"])
def test_negf_and_absf_work_on_the_sign_bit(type_: str) -> None:
    dtype = DTYPES[type_]
    codes = np.arange(256, dtype=np.uint8) if dtype.itemsize == 1 else None
    x = codes.view(dtype) if codes is not None else padded(SPECIAL, dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    top = bits.type(1) << bits.type(8 * dtype.itemsize - 1)
    negated = apply(f"%y = arith.negf %x0 : tensor<{{n}}x{type_}>", [(type_, x)], type_)
    assert np.array_equal(negated.view(bits), x.view(bits) ^ top)
    absolute = apply(f"%y = math.absf %x0 : tensor<{{n}}x{type_}>", [(type_, x)], type_)
    assert np.array_equal(absolute.view(bits), x.view(bits) & ~top)


def test_remf_has_the_sign_of_the_dividend() -> None:
    a, b = (
        padded([5.5, -5.5, 5.5, 1.0], DTYPES["f32"]),
        padded([2.0, 2.0, -2.0, np.inf], DTYPES["f32"]),
    )
    result = apply("%y = arith.remf %x0, %x1 : tensor<{n}xf32>", [("f32", a), ("f32", b)], "f32")
    assert result[:4].tolist() == [1.5, -1.5, 1.5, 1.0]


@pytest.mark.parametrize(("propagate", "on_nan"), [("none", -1.0), ("all", np.nan)])
def test_clampf(propagate: str, on_nan: float) -> None:
    x = padded([-5.0, 0.5, 7.0, np.nan], DTYPES["f16"])
    low, high = np.full_like(x, -1), np.full_like(x, 2)
    text = f"%y = tt.clampf %x0, %x1, %x2, propagateNan = {propagate} : tensor<{{n}}xf16>"
    result = apply(text, [("f16", x), ("f16", low), ("f16", high)], "f16")
    assert np.array_equal(result[:4].astype(float), [-1, 0.5, 2, on_nan], equal_nan=True)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32"])
def test_fma_rounds_once(type_: str) -> None:
    rng = np.random.default_rng(3)
    a, b = (padded(rng.standard_normal(512), DTYPES[type_]) for _ in "ab")
    c = (-(a.astype(np.float64) * b.astype(np.float64))).astype(DTYPES[type_])
    result = apply(
        f"%y = math.fma %x0, %x1, %x2 : tensor<{{n}}x{type_}>",
        [(type_, v) for v in (a, b, c)],
        type_,
    )
    exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    assert np.array_equal(
        result.astype(np.float64), exact.astype(np.float32).astype(DTYPES[type_]).astype(np.float64)
    )


def test_fma_of_f64_keeps_the_error_of_the_product() -> None:
    a = padded([1 + 2.0**-52, 3.0, 1e300, 0.1], DTYPES["f64"])
    b = padded([1 - 2.0**-53, 7.0, 1e300, 0.1], DTYPES["f64"])
    c = padded([-1.0, 1.0, 0.0, -0.010000000000000002], DTYPES["f64"])
    result = apply(
        "%y = math.fma %x0, %x1, %x2 : tensor<{n}xf64>", [("f64", v) for v in (a, b, c)], "f64"
    )
    for i in (0, 1, 3):
        exact = Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))
        assert result[i] == float(exact)
    assert result[2] == np.inf


def test_precise_division_is_division() -> None:
    a, b = padded([1.0, 2.0], DTYPES["f32"]), padded([3.0, 7.0], DTYPES["f32"])
    result = apply(
        "%y = tt.precise_divf %x0, %x1 : tensor<{n}xf32>", [("f32", a), ("f32", b)], "f32"
    )
    assert np.array_equal(result, a / b)
