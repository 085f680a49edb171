"""Whole types are compared, element by element, with numpy's and ml_dtypes' own conversions."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.interpreter.kernels import DTYPES
from weft.interpreter.rounding import narrow, tf32, towards_zero, widen

EVERY_16 = np.arange(1 << 16, dtype=np.uint16)
SMALL = ["f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]


def bits_equal(a: np.ndarray, b: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        nan = np.isnan(b.astype(np.float64))
        same_nan = np.array_equal(nan, np.isnan(a.astype(np.float64)))
    return same_nan and a[~nan].tobytes() == b[~nan].tobytes()


@pytest.mark.parametrize("type_", SMALL)
def test_widen_every_number(type_: str) -> None:
    codes = EVERY_16 if DTYPES[type_].itemsize == 2 else EVERY_16[:256].astype(np.uint8)
    x = codes.view(DTYPES[type_])
    with np.errstate(invalid="ignore"):
        assert bits_equal(widen(x), x.astype(np.float32))
    finite = x[np.isfinite(x.astype(np.float32))]
    assert bits_equal(widen(finite), finite.astype(np.float32))


def near_every_f16() -> np.ndarray:
    """Return each f16, the ties between neighbours, and the f32 next to each of those."""
    x = EVERY_16.view(np.float16)
    x = np.sort(x[np.isfinite(x)].astype(np.float32))
    ties = (x[1:] + x[:-1]) / 2
    points = np.concatenate((x, ties))
    return np.concatenate(
        (
            points,
            np.nextafter(points, np.float32(np.inf)),
            np.nextafter(points, np.float32(-np.inf)),
        )
    )


def test_narrow_to_f16_everywhere_a_rounding_can_go_wrong() -> None:
    x = near_every_f16()
    assert bits_equal(narrow(x, DTYPES["f16"]), x.astype(np.float16))


def test_narrow_to_f16_beyond_the_greatest() -> None:
    x = np.resize(np.array([65519.996, 65520.0, 65535.0, -65520.0, 1e-8, -1e-8], np.float32), 600)
    with np.errstate(over="ignore"):
        assert bits_equal(narrow(x, DTYPES["f16"]), x.astype(np.float16))
        y = np.resize(np.array([np.inf, np.nan, 1e30, 1.0], np.float32), 600)
        assert bits_equal(narrow(y, DTYPES["f16"]), y.astype(np.float16))


def test_narrow_of_f64_rounds_once() -> None:
    just_above_a_tie = np.full(600, 1 + 2.0**-8 + 2.0**-40)  # f32 would lose the last term
    assert (narrow(just_above_a_tie, DTYPES["bf16"]).astype(float) == 1 + 2.0**-7).all()
    assert (narrow(-just_above_a_tie, DTYPES["bf16"]).astype(float) == -1 - 2.0**-7).all()


@pytest.mark.parametrize("type_", ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"])
def test_eight_bits_saturate(type_: str) -> None:
    greatest = float(ml_dtypes.finfo(DTYPES[type_]).max)
    x = np.array([greatest, greatest * 4, -greatest * 4, np.inf, -np.inf, 1.0], np.float32)
    assert narrow(x, DTYPES[type_]).astype(float).tolist() == [
        greatest, greatest, -greatest, greatest, -greatest, 1.0,
    ]  # fmt: skip
    assert np.isnan(narrow(np.array([np.nan], np.float32), DTYPES[type_]).astype(float)).all()


@pytest.mark.parametrize("type_", SMALL)
def test_towards_zero_never_grows(type_: str) -> None:
    dtype = DTYPES[type_]
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(4096) * np.exp2(rng.integers(-9, 7, 4096))).astype(np.float32)
    result = towards_zero(x, dtype).astype(np.float64)
    bits = np.dtype(f"u{dtype.itemsize}")
    above = (towards_zero(x, dtype).view(bits) + bits.type(1)).view(dtype).astype(np.float64)
    assert (np.abs(result) <= np.abs(x)).all()
    zero = result == 0
    assert (np.abs(above) > np.abs(x))[~zero].all()


def test_tf32_keeps_ten_bits() -> None:
    x = np.array(
        [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-20, np.inf, -2.5], np.float32
    )
    assert tf32(x).tolist() == [1.0, 1 + 2.0**-9, 1 + 2.0**-10, np.inf, -2.5]
    assert np.isnan(tf32(np.array([np.nan], np.float32))).all()
