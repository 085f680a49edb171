"""Constants as Python numbers, and numbers as constants."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ir import attributes, types
from weft.ir.builtin import Attribute, Block
from weft.ir.constants import (
    boolean_attribute,
    boolean_value,
    constant_attribute,
    float_attribute,
    float_value,
    integer_attribute,
    integer_value,
    integer_width,
    is_constant,
    round_to_type,
    signed,
    unsigned,
)
from weft.ir.rewriting import Builder
from weft.ir.text.printer import print_type
from weft.ir.ub import PoisonOp

VECTOR = types.tensor((4,), types.i32)


@given(st.integers(-(2**40), 2**40), st.integers(1, 33))
def test_signed_and_unsigned(value: int, width: int) -> None:
    low, high = signed(value, width), unsigned(value, width)
    assert -(1 << (width - 1)) <= low < 1 << (width - 1)
    assert 0 <= high < 1 << width
    assert (low - value) % (1 << width) == 0
    assert (high - value) % (1 << width) == 0


@pytest.mark.parametrize(
    ("type_", "width"),
    [(types.i1, 1), (types.i64, 64), (types.index, 64), (VECTOR, 32)],
)
def test_integer_width(type_: Attribute, width: int) -> None:
    assert integer_width(type_) == width


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (5, types.i32, "5 : i32"), (2**31, types.i32, f"{-(2**31)} : i32"),
        (-1, types.i1, "true"), (2, types.i1, "false"), (3, types.i1, "true"),
        (5, VECTOR, "dense<5> : tensor<4xi32>"), (5, types.index, "5 : index"),
        (3, types.tensor((4,), types.i1), "dense<true> : tensor<4xi1>"),
    ],
)  # fmt: skip
def test_integer_attribute(value: int, type_: Attribute, text: str) -> None:
    assert print_type(integer_attribute(value, type_)) == text


def test_values_of_attributes() -> None:
    five = attributes.integer(5, types.i32)
    assert integer_value(five) == 5
    assert integer_value(attributes.splat(five, VECTOR)) == 5
    assert integer_value(attributes.boolean(True)) == -1
    assert integer_value(attributes.float_(5.0, types.f32)) is None
    assert integer_value(None) is None
    assert float_value(attributes.float_(2.5, types.f32)) == 2.5
    assert float_value(five) is None
    assert boolean_value(attributes.boolean(True)) is True
    assert boolean_value(attributes.boolean(False)) is False
    assert boolean_value(five) is None
    assert print_type(boolean_attribute(True, types.i1)) == "true"
    assert boolean_value(boolean_attribute(True, types.tensor((4,), types.i1))) is True


def test_constants_of_operations() -> None:
    block = Block(arg_types=[types.i32])
    builder = Builder().at_end(block)
    five = builder.constant(5, types.i32)
    poison = builder.value(PoisonOp, [], types.i32, {"value": attributes.unit})
    assert integer_value(constant_attribute(five)) == 5
    assert constant_attribute(poison) is None
    assert constant_attribute(block.args[0]) is None
    assert is_constant(five.op)
    assert is_constant(poison.op)


@given(st.floats(width=64))
def test_rounding_is_that_of_numpy(value: float) -> None:
    with np.errstate(all="ignore"):
        expected: dict[Attribute, float] = {
            types.f16: float(np.float16(value)),
            types.f32: float(np.float32(value)),
            types.f64: value,
        }
    for type_, number in expected.items():
        assert round_to_type(value, type_) == pytest.approx(number, rel=0, abs=0, nan_ok=True)


@given(st.floats(width=32))
def test_rounding_to_bf16_is_that_of_ml_dtypes(value: float) -> None:
    # From f32, which ml_dtypes rounds once.
    expected = float(np.array(np.float32(value)).astype(ml_dtypes.bfloat16))
    rounded = round_to_type(value, types.bf16)
    assert rounded == pytest.approx(expected, rel=0, abs=0, nan_ok=True)
    if not math.isnan(value):
        assert rounded is not None
        assert math.copysign(1.0, rounded) == math.copysign(1.0, expected)


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (1e300, types.f32, math.inf), (-1e300, types.f32, -math.inf),
        (70000.0, types.f16, math.inf),
        (3.4e38, types.bf16, math.inf), (-3.4e38, types.bf16, -math.inf),
        (3.38e38, types.bf16, 3.3762391092936863e38), (1.0, types.f8E5M2, None),
        (2.0**-133, types.bf16, 2.0**-133), (2.0**-134, types.bf16, 0.0),
        (1.5 * 2.0**-133, types.bf16, 2.0**-132), (-(2.0**-149), types.bf16, -0.0),
    ],
)  # fmt: skip
def test_limits_of_types(value: float, type_: Attribute, expected: float | None) -> None:
    rounded = round_to_type(value, type_)
    assert rounded == expected
    if rounded is not None and expected is not None:
        assert math.copysign(1.0, rounded) == math.copysign(1.0, expected)


def test_float_attribute() -> None:
    assert print_type(float_attribute(0.1, types.f32) or attributes.unit) == "1.000000e-01 : f32"
    splat = float_attribute(2.5, types.tensor((4,), types.f16))
    assert print_type(splat or attributes.unit) == "dense<2.500000e+00> : tensor<4xf16>"
    assert float_attribute(1.0, types.f8E5M2) is None
