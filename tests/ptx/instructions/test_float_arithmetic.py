"""Arithmetic of floats, exact to the last bit."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ptx.run_ptx import floats, pairs, run
from weft.errors import CodegenError
from weft.ptx import read

RANDOM = np.random.default_rng(7)
X, Y, Z = RANDOM.normal(size=(3, 400)).astype(np.float32)
LIMIT = 2.0**100
SINGLE = st.floats(-LIMIT, LIMIT, width=32)


def round_exact(exact: Fraction, mode: str) -> np.float32:
    """Round an exact number to f32 by comparing it with adjacent numbers."""
    nearest = (
        np.float32(float(exact))
        if abs(exact) < 2**130
        else np.float32(np.copysign(np.inf, 1 if exact > 0 else -1))
    )
    candidates = {float(nearest)}
    for limit in (-np.inf, np.inf):
        candidates.add(float(np.nextafter(nearest, np.float32(limit))))
    finite = sorted(value for value in candidates if np.isfinite(value))
    below = [value for value in finite if Fraction(value) <= exact]
    above = [value for value in finite if Fraction(value) >= exact]
    if mode == "rn":
        best = min(finite, key=lambda value: abs(Fraction(value) - exact))
        ties = [v for v in finite if abs(Fraction(v) - exact) == abs(Fraction(best) - exact)]
        even = [v for v in ties if not np.float32(v).view(np.uint32) & 1]
        return np.float32(even[0] if even else best)
    rounds_down = mode == "rm" or (mode == "rz" and exact >= 0)
    return np.float32(below[-1] if rounds_down else above[0])


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@given(SINGLE, SINGLE, SINGLE)
def test_results_are_rounded_once(mode, a, b, c):
    x, y, z = (floats(value) for value in (a, b, c))
    exact = {
        "add": Fraction(a) + Fraction(b),
        "sub": Fraction(a) - Fraction(b),
        "mul": Fraction(a) * Fraction(b),
        "fma": Fraction(a) * Fraction(b) + Fraction(c),
    }
    if b:
        exact["div"] = Fraction(a) / Fraction(b)
    for head, expected in exact.items():
        if abs(expected) >= 2**127 or (expected and abs(expected) < Fraction(2) ** -140):
            continue
        more = (y, z) if head == "fma" else (y,)
        names = "".join(f", ${n + 2}" for n in range(len(more)))
        result = run(f"{head}.{mode}.f32 $0, $1{names};", np.float32, x, *more)
        assert result[0] == round_exact(expected, mode), (head, a, b, c)


def test_f64():
    x, y, z = (each.astype(np.float64) / 3 for each in (X, Y, Z))
    assert np.array_equal(run("mul.rn.f64 $0, $1, $2;", np.float64, x, y), x * y)
    result = run("fma.rn.f64 $0, $1, $2, $3;", np.float64, x, y, z)
    exact = [Fraction(a) * Fraction(b) + Fraction(c) for a, b, c in zip(x, y, z, strict=True)]
    assert np.array_equal(result, [float(each) for each in exact])
    down = run("add.rm.f64 $0, $1, $2;", np.float64, x, y)
    assert all(Fraction(d) <= Fraction(a) + Fraction(b) for d, a, b in zip(down, x, y, strict=True))


@pytest.mark.parametrize(("kind", "dtype"), [("f16x2", np.float16), ("bf16x2", ml_dtypes.bfloat16)])
def test_pairs(kind, dtype):
    x, y = (each.astype(dtype).reshape(-1, 2) for each in (X, Y))
    a, b = pairs(x), pairs(y)
    for head, expected in (("add", x + y), ("mul", x * y), ("max", np.maximum(x, y))):
        result = run(f"{head}.{kind} $0, $1, $2;", np.uint32, a, b)
        assert np.array_equal(result, pairs(expected)), head
    fused = (x.astype(np.float64) * y.astype(np.float64) + x.astype(np.float64)).astype(dtype)
    assert np.array_equal(run(f"fma.rn.{kind} $0, $1, $2, $1;", np.uint32, a, b), pairs(fused))
    relu = run(f"fma.rn.relu.{kind} $0, $1, $2, $1;", np.uint32, a, b)
    assert np.array_equal(relu, pairs(np.where(fused < 0, 0, fused).astype(dtype)))


def test_min_and_max():
    nan, inf = np.nan, np.inf
    a, b = floats(1, nan, -0.0, nan, -3, inf), floats(2, 5, 0.0, nan, 2, -inf)
    least = run("min.f32 $0, $1, $2;", np.float32, a, b)
    assert np.array_equal(least, floats(1, 5, -0.0, nan, -3, -inf), equal_nan=True)
    assert np.signbit(least[2])
    strict = run("max.NaN.f32 $0, $1, $2;", np.float32, a, b)
    assert np.array_equal(strict, floats(2, nan, 0, nan, 2, inf), equal_nan=True)
    by_sign = run("min.xorsign.abs.f32 $0, $1, $2;", np.float32, floats(-3, 3), floats(2, -4))
    assert by_sign.tolist() == [-2, -3]


def test_modifiers():
    tiny = floats(1e-40, -1e-40, 2.0)
    assert run("add.ftz.f32 $0, $1, $1;", np.float32, tiny).tolist() == [0, 0, 4]
    assert (run("add.f32 $0, $1, $1;", np.float32, tiny) != 0).all()
    wide = floats(-1, 0.5, 7, np.nan)
    assert run("add.sat.f32 $0, $1, 0f00000000;", np.float32, wide).tolist() == [0, 0.5, 1, 0]
    assert run("neg.f32 $0, $1;", np.float32, wide)[1] == -0.5
    assert run("abs.f32 $0, $1;", np.float32, wide)[0] == 1


def test_sqrt_f64():
    x = np.abs(X).astype(np.float64)
    assert np.array_equal(run("sqrt.rn.f64 $0, $1;", np.float64, x), np.sqrt(x))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add.rn.zz.f32 $0, $1, $1;", r"add with modifier .zz is not supported"),
        ("ex2.approx.u32 $0, $1;", "this form of ex2 is not supported"),
    ],
)
def test_unsupported_forms(text, message):
    with pytest.raises(CodegenError, match=message):
        read(text, "=r,r")


def nearest_bfloat16(exact: Fraction) -> int:
    """Compute the bits of the bf16 nearest to a number, ties to even."""
    size = abs(exact)
    single = np.float32(float(size))
    bits = int(single.view(np.uint32)) - (Fraction(float(single)) > size)
    below = bits >> 16
    low, high = (
        Fraction(float(np.uint32(each << 16).view(np.float32))) for each in (below, below + 1)
    )
    up = size - low > high - size or (size - low == high - size and below & 1)
    return below + up | (0x8000 if exact < 0 else 0)


@given(*[st.floats(-1024, 1024, width=16)] * 3)
def test_packed_bf16_is_rounded_once(a, b, c):
    x, y, z = (np.array([[v, v]]).astype(ml_dtypes.bfloat16) for v in (a, b, c))
    exact = Fraction(float(x[0, 0])) * Fraction(float(y[0, 0])) + Fraction(float(z[0, 0]))
    result = run("fma.rn.bf16x2 $0, $1, $2, $3;", np.uint32, pairs(x), pairs(y), pairs(z))
    if abs(exact) > Fraction(2) ** -120:
        assert int(result[0]) & 0xFFFF == nearest_bfloat16(exact)


def test_a_sum_that_f32_would_round_to_a_tie():
    """259 is a tie of bf16; a term that f32 cannot hold decides."""
    operands = [np.array([[v, v]]).astype(ml_dtypes.bfloat16) for v in (7.0, 37.0, -(2.0**-40))]
    result = run("fma.rn.bf16x2 $0, $1, $2, $3;", np.uint32, *map(pairs, operands))
    assert result.view(ml_dtypes.bfloat16).tolist() == [258, 258]
