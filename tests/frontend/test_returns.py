"""Return sites and their common type."""

from __future__ import annotations

import pytest

import weft.language as tl
from weft.errors import ErrorForm, WeftError
from weft.language.kernel_function import kernel_function


@kernel_function
def same_constant(n):
    if n > 3:
        return 8
    return 8


@kernel_function
def uses_as_shape(p, n):
    tl.store(p + tl.arange(0, same_constant(n)), n)


def test_same_constant_at_every_return(lowered):
    text = lowered(uses_as_shape)
    assert "tensor<8xi32>" in text
    assert "same_constant__i32(%arg1) : (i32) -> ()" in text


@kernel_function
def constant_or_value(n):
    if n > 3:
        return 8, n
    return n, 4


@kernel_function
def takes_pair(p, n):
    a, b = constant_or_value(n)
    tl.store(p, a - b)


def test_constant_becomes_a_run_time_value(lowered):
    text = lowered(takes_pair)
    assert "-> (i32, i32)" in text
    assert "tt.return %c8_i32, %arg0 : i32, i32" in text
    assert "tt.return %arg0, %c4_i32 : i32, i32" in text


@kernel_function
def no_return(p, n):
    tl.store(p, n)


@kernel_function
def uses_nothing(p, n):
    x = no_return(p, n)
    tl.static_assert(x is None)


def test_function_without_return(operations):
    assert operations(uses_nothing)[:3] == ["tt.func", "tt.call", "tt.return"]


@kernel_function
def value_or_none(n):
    if n > 3:
        return
    return n


@kernel_function
def takes_value_or_none(p, n):
    tl.store(p, value_or_none(n))


@kernel_function
def tuple_or_value(n):
    if n > 3:
        return n, n
    return n


@kernel_function
def takes_tuple_or_value(p, n):
    tuple_or_value(n)


def test_returns_of_different_types(refused):
    error = refused(takes_value_or_none)
    assert "Return type mismatch: the constant None and int32[]" in error
    assert "found: int32[] here, the constant None at line" in error
    assert "found: int32[] here, (int32[], int32[]) at line" in refused(takes_tuple_or_value)


def test_triton_locates_a_mismatch_at_the_function(lowered, monkeypatch):
    with pytest.raises(WeftError) as caught:
        lowered(uses_different_blocks)
    assert "return tl.arange(0, 8)" in str(caught.value)
    monkeypatch.setattr(ErrorForm, "is_triton", True)
    with pytest.raises(WeftError) as caught:
        lowered(uses_different_blocks)
    assert "at 2:4:" in str(caught.value)  # the call
    assert "at 1:0:" in str(caught.value.__cause__)


@kernel_function
def different_blocks(n):
    if n == 0:
        return tl.arange(0, 4)
    return tl.arange(0, 8)


@kernel_function
def uses_different_blocks(p, n):
    different_blocks(n)
