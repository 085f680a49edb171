"""Signatures from the annotations of a kernel's parameters."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.compiler.annotations import read_signature
from weft.errors import SignatureError
from weft.language.kernel_function import KernelFunction


def _typed(x: "*fp16", n: tl.int64, BLOCK: tl.constexpr):  # noqa: F722  # pyright: ignore[reportUndefinedVariable]
    pass


def _untyped(x, n: tl.int64):
    pass


def test_types_are_read_from_annotations():
    signature = read_signature(KernelFunction(_typed), None, {"BLOCK": 64})
    assert str(signature) == "*fp16, i64, 64"


def test_a_parameter_with_a_value_is_a_constant():
    assert str(read_signature(KernelFunction(_untyped), None, {(0,): None})) == "None, i64"


def test_a_given_signature_takes_precedence():
    assert str(read_signature(KernelFunction(_typed), "*fp32, i32, 8")) == "*fp32, i32, 8"


def test_a_parameter_without_annotation_and_value_is_an_error():
    with pytest.raises(SignatureError, match="_untyped needs a signature: no type for x") as caught:
        read_signature(KernelFunction(_untyped), None)
    assert "parameters x, n" in str(caught.value)
    assert caught.value.location is not None
