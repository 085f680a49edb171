"""Types of PTX: bits and numbers."""

from __future__ import annotations

import numpy as np
import pytest

from weft.ptx.types import bits_of, is_type, limits_of, to_bits, to_numbers


@pytest.mark.parametrize(
    ("type_", "bits"), [("pred", 1), ("e2m1x2", 8), ("e4m3x2", 16), ("f16x2", 32), ("f32x2", 64)]
)
def test_widths(type_, bits):
    assert is_type(type_)
    assert bits_of(type_) == bits


def test_modifiers_are_not_types():
    assert not is_type("rn")
    assert not is_type("x2")


@pytest.mark.parametrize(
    ("type_", "bits", "numbers"),
    [
        ("f16x2", [0x3C004000], [[2.0, 1.0]]),
        ("e2m1x2", [0x21], [[0.5, 1.0]]),
        ("s32", [0xFFFFFFFF], [-1]),
    ],
)
def test_bits_and_numbers(type_, bits, numbers):
    registers = np.array(bits, f"u{bits_of(type_) // 8}")
    values = to_numbers(registers, type_)
    assert values.astype(float).tolist() == numbers
    assert to_bits(values, type_).tolist() == bits


def test_limits():
    assert limits_of("s16") == (-(2**15), 2**15 - 1)
