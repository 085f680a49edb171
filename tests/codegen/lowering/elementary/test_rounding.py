"""Round half away from zero: every float type next to halves."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.conversions import computed, module_of
from tests.codegen.lowering.test_math import extern

CHIPS = {"cuda:90": "__nv_round", "hip:gfx942": "__ocml_round", "hip:gfx1100": "__ocml_round"}


def near_halves(type_: str) -> np.ndarray:
    """Return halves, whole numbers and their neighbours of many sizes, and numbers without end."""
    dtype = np.dtype(type_.replace("f", "float"))
    mantissa = np.finfo(dtype).nmant
    whole = np.concatenate([np.arange(40), 2.0 ** np.arange(-3, mantissa + 3)])
    exact = np.concatenate([whole, whole + 0.5, whole + 1.5, whole * 1.5]).astype(dtype)
    above, below = (np.nextafter(exact, dtype.type(to)) for to in (np.inf, -np.inf))
    edges = np.array([0.0, np.finfo(dtype).smallest_subnormal, np.inf, np.nan]).astype(dtype)
    every = np.concatenate([exact, above, below, edges])
    return np.concatenate([every, -every])


@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("chip", CHIPS)
def test_halves_round_away_from_zero(chip, type_):
    ending = {"cuda": {"f32": "f", "f64": ""}, "hip": {"f32": "_f32", "f64": "_f64"}}
    symbol = CHIPS[chip] + ending[chip.partition(":")[0]][type_]
    values = near_halves(type_)
    with np.errstate(invalid="ignore"):
        cut = np.trunc(values)
        expected = np.where(np.isinf(values), values, cut + np.trunc(2 * (values - cut)))
    for op in (extern(symbol, "%x"), "math.round %x"):
        actual = computed(op, type_, type_, chip, values)
        np.testing.assert_array_equal(actual, expected)
        numbers = ~np.isnan(values)
        np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(values[numbers]))


def test_rounding_takes_three_instructions():
    text = module_of("math.round %x", "f32", "f32", "cuda:90", per_thread=1).text
    assert "llvm.round." not in text
    assert text.count("@llvm.trunc.f32(float") - text.count("declare float @llvm.trunc") == 1
