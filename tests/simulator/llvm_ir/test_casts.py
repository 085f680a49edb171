"""Casts against numpy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import TYPES, of_each_thread
from weft.simulator.llvm_ir.casts import unsigned

INTEGERS = [np.int8, np.int16, np.int32, np.int64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]


def edges(kind: type, seed: int = 0) -> np.ndarray:
    """Draw 64 numbers of a type, with the ends of its range."""
    random = np.random.default_rng(seed)
    if kind in INTEGERS:
        info = np.iinfo(kind)
        numbers = random.integers(info.min, info.max, 64, kind, endpoint=True)
        numbers[:6] = [0, 1, -1, info.max, info.min, 2]
        return random.permutation(numbers)
    numbers = random.normal(size=64).astype(kind)
    numbers[:4] = np.array([0.0, -0.0, np.inf, np.nan], kind)
    return random.permutation(numbers)


@pytest.mark.parametrize(("narrow", "wide"), [(np.int8, np.int32), (np.int16, np.int64)])
def test_integer_casts(narrow, wide):
    a, b = edges(narrow), edges(wide)
    few, many = TYPES[a.dtype], TYPES[b.dtype]
    np.testing.assert_array_equal(
        of_each_thread(f"sext {few} %x to {many}", a, result=many), a.astype(wide)
    )
    np.testing.assert_array_equal(
        of_each_thread(f"zext {few} %x to {many}", a, result=many),
        a.view(f"u{a.dtype.itemsize}").astype(wide),
    )
    np.testing.assert_array_equal(
        of_each_thread(f"trunc {many} %x to {few}", b, result=few), b.astype(narrow)
    )


@pytest.mark.parametrize("kind", FLOATS)
def test_casts_between_floats_and_integers(kind):
    name = TYPES[np.dtype(kind)]
    numbers = np.arange(-32, 32).astype(np.int32)
    floats = of_each_thread(f"sitofp i32 %x to {name}", numbers, result=name)
    np.testing.assert_array_equal(floats.astype(np.int64), numbers)
    np.testing.assert_array_equal(
        of_each_thread(f"fptosi {name} %x to i32", floats, result="i32"), numbers
    )
    positive = np.abs(numbers)
    floats = of_each_thread(f"uitofp i32 %x to {name}", positive, result=name)
    np.testing.assert_array_equal(
        of_each_thread(f"fptoui {name} %x to i32", floats, result="i32"), positive
    )


def test_float_casts():
    a = edges(np.float32)
    with np.errstate(all="ignore"):
        half = a.astype(np.float16)
    np.testing.assert_array_equal(
        of_each_thread("fptrunc float %x to half", a, result="half"), half
    )
    np.testing.assert_array_equal(
        of_each_thread("fpext half %x to float", half, result="float"), half.astype(np.float32)
    )
    bits = of_each_thread("bitcast float %x to i32", a, result="i32")
    np.testing.assert_array_equal(bits, a.view(np.int32))
    np.testing.assert_array_equal(
        of_each_thread("bitcast i32 %x to float", bits, result="float"), a
    )


def test_f64_to_bf16_rounds_once():
    """259 is a tie of bf16; the last term decides and is lost in f32."""
    values = np.array([259 - 2.0**-40, 259 + 2.0**-40, 259.0])
    result = of_each_thread("fptrunc double %x to bfloat", values, result="bfloat")
    assert result.astype(float).tolist() == [258, 260, 260]


def test_unsigned_views():
    assert unsigned(np.array([-1], np.int8)).tolist() == [255]
    assert unsigned(np.array([True])).tolist() == [1]
