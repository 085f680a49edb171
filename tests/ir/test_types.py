"""Builders and readers of types."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir import types
from weft.ir.builtin import Attribute, IntegerType
from weft.ir.text import parse_module
from weft.ir.text.printer import print_type
from weft.layouts import parse

BLOCKED = parse(
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
PLAIN = types.tensor((64, 32), types.f16)
ENCODED = types.tensor((64, 32), types.f16, BLOCKED)
POINTER = types.pointer(types.f16)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (PLAIN, "tensor<64x32xf16>"),
        (types.tensor((), types.i32), "tensor<i32>"),
        (POINTER, "!tt.ptr<f16>"),
        (types.pointer(types.f16, 3), "!tt.ptr<f16, 3>"),
        (types.pointer(PLAIN), "!tt.ptr<tensor<64x32xf16>>"),
        (types.tensor((64,), POINTER), "tensor<64x!tt.ptr<f16>>"),
        (types.descriptor(PLAIN), "!tt.tensordesc<tensor<64x32xf16>>"),
        (types.f8E4M3FN, "f8E4M3FN"),
        (types.index, "index"),
    ],
)
def test_text_round_trip(type_: Attribute, text: str) -> None:
    assert print_type(type_) == text
    module = parse_module(f'"t.use"() {{type = {text}}} : () -> ()', allow_unregistered=True)
    op = module.body.block.first_op
    assert op is not None
    assert op.attributes["type"] == type_


def test_equal_arguments_give_the_same_object() -> None:
    assert types.tensor((64, 32), types.f16) is PLAIN
    assert types.tensor((64, 32), types.f16, BLOCKED) is ENCODED
    assert types.pointer(types.f16, 1) == POINTER
    assert types.descriptor(PLAIN) is types.descriptor(PLAIN)
    assert ENCODED != PLAIN


def test_predicates() -> None:
    assert types.is_tensor(PLAIN)
    assert not types.is_tensor(POINTER)
    assert types.is_pointer(POINTER)
    assert not types.is_pointer(types.i64)
    assert types.is_integer(types.i1)
    assert not types.is_integer(types.index)
    assert types.is_float(types.f4E2M1FN)
    assert not types.is_float(types.i16)
    assert not types.is_unsigned(types.i32)


@pytest.mark.parametrize("spelling", ["ui32", "si32", "i32"])
def test_signedness(spelling: str) -> None:
    text = f'"t.use"() {{type = {spelling}}} : () -> ()'
    op = parse_module(text, allow_unregistered=True).body.block.first_op
    assert op is not None
    type_ = op.attributes["type"]
    assert isinstance(type_, IntegerType)
    assert types.is_unsigned(type_) == (spelling == "ui32")


def test_parts_of_a_tensor_type() -> None:
    assert types.element(ENCODED) is types.f16
    assert types.element(types.i32) is types.i32
    assert types.shape(ENCODED) == (64, 32)
    assert types.shape(types.i32) == ()
    assert types.encoding(ENCODED) is BLOCKED
    assert types.encoding(PLAIN) is None
    assert types.encoding(types.i32) is None


def test_replaced_parts() -> None:
    assert types.with_element(ENCODED, types.i8) is types.tensor((64, 32), types.i8, BLOCKED)
    assert types.with_element(types.f16, types.i8) is types.i8
    assert types.with_shape(ENCODED, (32, 64)) is types.tensor((32, 64), types.f16, BLOCKED)
    assert types.with_encoding(ENCODED, None) == PLAIN
    assert types.with_encoding(PLAIN, BLOCKED) is ENCODED
    assert types.with_encoding(types.f16, BLOCKED) is types.f16


@pytest.mark.parametrize(
    ("type_", "bits"),
    [
        (types.i1, 1), (types.i64, 64), (types.f16, 16), (types.bf16, 16), (types.f32, 32),
        (types.f64, 64), (types.f8E5M2, 8), (types.f8E4M3FNUZ, 8), (types.f4E2M1FN, 4),
        (types.index, 64), (POINTER, 64), (PLAIN, 16), (types.tensor((4,), POINTER), 64),
    ],
)  # fmt: skip
def test_bit_width(type_: Attribute, bits: int) -> None:
    assert types.bit_width(type_) == bits


def test_a_descriptor_has_no_bit_width() -> None:
    with pytest.raises(TypeError, match="has no bit width"):
        types.bit_width(types.descriptor(PLAIN))


@pytest.mark.parametrize("text", ["!tt.ptr<>", "!tt.ptr<f16,>", "!tt.tensordesc<f16"])
def test_malformed_types(text: str) -> None:
    with pytest.raises(ParseError):
        parse_module(f'"t.use"() {{type = {text}}} : () -> ()', allow_unregistered=True)
