"""How the arguments of a launch are encoded."""

from __future__ import annotations

import math
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft.gluon as gl
from weft.compiler.signature import Signature
from weft.launch.argument_packing import (
    encode_arguments,
    overflow_to_infinity,
    parameter_encodings,
)
from weft.launch.gluon_descriptors import TdmDescriptor


def signature(*types: object) -> Signature:
    return Signature(tuple(f"a{n}" for n in range(len(types))), types)  # pyright: ignore


def encode(types: Signature, *values: object) -> list[Any]:
    formats = ["?"] * sum(1 for _ in types.runtime_arguments())
    return encode_arguments(parameter_encodings(types, formats), values)


@pytest.mark.parametrize(
    ("type_name", "format_", "value", "encoded"),
    [
        ("u1", "?", np.bool_(True), True),
        ("i8", "b", -3, -3),
        ("u8", "B", 250, 250),
        ("i16", "h", -3, -3),
        ("u32", "I", 1 << 31, 1 << 31),
        ("i64", "q", np.int64(-5), -5),
        ("u64", "Q", (1 << 64) - 1, (1 << 64) - 1),
        ("fp16", "e", 0.5, 0.5),
        ("fp32", "f", 3, 3.0),
        ("fp64", "d", np.float32(0.5), 0.5),
    ],
)
def test_numbers(type_name, format_, value, encoded):
    assert encode(signature(type_name), value) == [encoded]
    struct.pack(format_, encoded)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_bfloat16_rounds_as_ml_dtypes(value):
    (bits,) = encode(signature("bf16"), value)
    with np.errstate(over="ignore"):
        expected = np.float32(value).astype(ml_dtypes.bfloat16)
    if np.isnan(expected):
        assert bits & 0x7F80 == 0x7F80
        assert bits & 0x7F
    else:
        assert bits == int(expected.view(np.uint16))


def test_tuples_are_encoded_item_by_item():
    types = signature(("*fp32", "i32"), "constexpr", "bf16")
    array = np.zeros(3, np.float32)
    assert encode(types, (array, 7), None, 1.0) == [array.ctypes.data, 7, 0x3F80]
    encodings = parameter_encodings(types, ("P", "i", "H"))
    assert [(each.index, each.formats, each.is_identity) for each in encodings] == [
        (0, ("P", "i"), False),
        (2, ("H",), False),
    ]


def test_pointers_and_plain_numbers_pass_unchanged():
    encodings = parameter_encodings(signature("*fp32", "constexpr", "i32"), "Pi")
    assert [each.is_identity for each in encodings] == [True, True]


def test_numbers_that_a_float_cannot_hold_become_infinity():
    values = overflow_to_infinity("eef", (1e6, -1e6, 0.5))
    assert values == [math.inf, -math.inf, 0.5]


def test_a_descriptor_for_tdm_is_base_shape_and_strides():
    x = np.zeros((4, 32), np.float16)
    layout = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [2, 32], [1, 0])
    value = TdmDescriptor.from_tensor(x, [2, 32], layout)
    types = signature("tensordesc<fp16[2, 32]>", "i32")
    parameters = parameter_encodings(types, ["P", "i", "i", "q", "q", "i"])
    assert encode_arguments(parameters, [value, 7]) == [x.ctypes.data, 4, 32, 32, 1, 7]
