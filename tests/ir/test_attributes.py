"""Builders and readers of attributes."""

from __future__ import annotations

import pytest

from weft.ir import attributes, types
from weft.ir.builtin import (
    Attribute,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from weft.ir.text.printer import print_type

VECTOR = types.tensor((4,), types.i32)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (attributes.integer(5, types.i32), "5 : i32"),
        (attributes.integer(255, types.i8), "-1 : i8"),
        (attributes.integer(2**32 + 7, types.i32), "7 : i32"),
        (attributes.integer(7, types.index), "7 : index"),
        (attributes.boolean(True), "true"),
        (attributes.boolean(False), "false"),
        (attributes.float_(1.5, types.f16), "1.500000e+00 : f16"),
        (attributes.float_(0.1, types.f16), "9.997550e-02 : f16"),
        (attributes.scalar(1, types.i1), "true"),
        (attributes.scalar(2, types.i1), "true"),
        (attributes.scalar(2, types.f32), "2.000000e+00 : f32"),
        (attributes.scalar(True, types.i32), "1 : i32"),
        (attributes.splat(attributes.integer(5, types.i32), VECTOR), "dense<5> : tensor<4xi32>"),
        (attributes.array_i32((1, -2)), "array<i32: 1, -2>"),
        (attributes.string("a"), '"a"'),
        (attributes.symbol("f"), "@f"),
        (attributes.unit, "unit"),
    ],
)
def test_text(attribute: Attribute, text: str) -> None:
    assert print_type(attribute) == text


def test_equal_arguments_give_the_same_object() -> None:
    five = attributes.integer(5, types.i32)
    assert attributes.integer(5, types.i32) is five
    assert attributes.integer(5, types.i64) is not five
    assert attributes.splat(five, VECTOR) is attributes.splat(five, VECTOR)
    assert attributes.array_i32((1, 2)) is attributes.array_i32((1, 2))


@pytest.mark.parametrize(
    ("attribute", "number"),
    [
        (attributes.integer(-5, types.i32), -5),
        (attributes.boolean(True), 1),
        (attributes.boolean(False), 0),
        (attributes.integer(-1, types.i8), -1),
        (attributes.integer(3, types.index), 3),
        (attributes.float_(1.5, types.f32), 1.5),
        (attributes.splat(attributes.boolean(True), types.tensor((4,), types.i1)), 1),
        (attributes.splat(attributes.float_(2.5, types.f32), VECTOR), 2.5),
        (attributes.string("5"), None),
        (None, None),
    ],
)
def test_number(attribute: Attribute | None, number: float | None) -> None:
    assert attributes.number(attribute) == number


def test_the_stored_number_of_true_is_minus_one() -> None:
    assert attributes.raw_number(attributes.boolean(True)) == -1
    assert attributes.raw_number(attributes.float_(1.5, types.f32)) == 1.5


def test_array_values() -> None:
    assert attributes.array_values(attributes.array_i32((1, -2))) == (1, -2)
    assert attributes.array_values(None) == ()
    assert attributes.array_values(attributes.integer(1, types.i32)) == ()


def test_dense_elements() -> None:
    numbers = [attributes.integer(number, types.i32) for number in (1, 2, 3, 4)]
    dense = attributes.dense(numbers, VECTOR)
    assert isinstance(dense, DenseIntOrFPElementsAttr)
    assert tuple(dense.get_values()) == (1, 2, 3, 4)
    splat = attributes.dense([numbers[0]] * 4, VECTOR)
    assert splat is attributes.splat(numbers[0], VECTOR)
    empty = attributes.dense([], types.tensor((0,), types.i32))
    assert isinstance(empty, DenseIntOrFPElementsAttr)


def test_classes() -> None:
    assert isinstance(attributes.scalar(1, types.i32), IntegerAttr)
    assert isinstance(attributes.scalar(1, types.bf16), FloatAttr)
    assert isinstance(attributes.string("a"), StringAttr)
    assert isinstance(attributes.symbol("f"), SymbolRefAttr)
