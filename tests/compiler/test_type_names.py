"""Spellings of types."""

from __future__ import annotations

import numpy as np
import pytest

from weft.compiler.type_names import (
    annotated_type,
    canonical_type,
    integer_range,
    is_integer,
    language_dtype,
    numpy_dtype_name,
    scalar_name,
)
from weft.errors import SignatureError
from weft.language.dtypes import float16


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("*float16", "*fp16"),
        ("const *fp16", "*kfp16"),
        ("*const tl.float16", "*kfp16"),
        ("float32*", "*fp32"),
        ("pointer_type<int8>", "*i8"),
        ("pointer<fp32>", "*fp32"),
        ("const_pointer<fp32>", "*kfp32"),
        ("**fp32", "**fp32"),
        ("bool", "u1"),
        ("int32_t", "i32"),
        ("tensordesc<float16[128,64]>", "tensordesc<fp16[128, 64]>"),
    ],
)
def test_spellings_of_types(spelling, name):
    assert canonical_type(spelling) == name


@pytest.mark.parametrize(
    "spelling", ["", "*", "k", "const fp32", "*kk", "tensordesc<fp16>", "fp33"]
)
def test_unknown_types(spelling):
    with pytest.raises(SignatureError, match=r"unknown type|block shape"):
        canonical_type(spelling)


def test_element_types():
    assert scalar_name("tl.float16") == scalar_name("half") == "fp16"
    assert scalar_name("a-b.fp16") is None
    assert language_dtype("fp16") == float16
    assert np.dtype(numpy_dtype_name("fp16")) == np.float16
    assert numpy_dtype_name("fp8e4b15") == "uint8"
    assert numpy_dtype_name("fp6e2m3") is None


def test_annotations():
    assert annotated_type("'tl.int64'") == "i64"
    assert annotated_type("") is None
    assert annotated_type("Callable") is None


def test_integers():
    assert integer_range("i8") == (-128, 128)
    assert integer_range("u16") == (0, 1 << 16)
    assert [is_integer(name) for name in ("i32", "u8", "u1", "fp32")] == [True, True, False, False]
