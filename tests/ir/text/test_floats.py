"""Spelling of floats: what a spelling reads back to, and Triton's own spelling."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ir import types
from weft.ir.text.floats import format_float


def f32(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (0.0, types.f32, "0.000000e+00"),
        (-0.0, types.f32, "-0.000000e+00"),
        (f32(0x358637BD), types.f32, "9.99999997E-7"),
        (f32(0x3FB8AA3B), types.f32, "1.44269502"),
        (16777216.0, types.f32, "0x4B800000"),
        (-math.inf, types.f32, "0xFF800000"),
        (0.0999755859375, types.f16, "9.997550e-02"),
        (0.10009765625, types.bf16, "1.000980e-01"),
        (1234567.0, types.f64, "0x4132D68700000000"),
        (3.0, types.f8E5M2, "3.000000e+00"),
        (float(np.float32(1.2345678e20)), types.f32, "1.23456781E+20"),
    ],
)
def test_known_spellings(value: float, type_: object, text: str) -> None:
    assert format_float(value, type_) == text  # pyright: ignore[reportArgumentType]


@given(st.integers(0, 2**32 - 1))
def test_f32_round_trip(bits: int) -> None:
    value = f32(bits)
    text = format_float(value, types.f32)
    if text.startswith("0x"):
        assert math.isnan(value) or int(text, 16) == bits
    else:
        assert np.float32(float(text)) == np.float32(value)


@given(st.integers(0, 2**16 - 1), st.sampled_from(["f16", "bf16"]))
def test_sixteen_bits_read_back(bits: int, name: str) -> None:
    dtype = np.float16 if name == "f16" else ml_dtypes.bfloat16
    value = float(np.array(bits, np.uint16).view(dtype))
    text = format_float(value, getattr(types, name))
    if not text.startswith("0x"):
        assert np.array(float(text)).astype(dtype) == np.array(value).astype(dtype)
