"""Conversion between Python objects and compile-time values."""

from __future__ import annotations

import math
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft.language as tl
from weft.errors import UnsupportedError
from weft.frontend import static_values
from weft.frontend.semantics.values import TupleValue
from weft.language.constexpr import constexpr

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner).map(tuple), max_leaves=8)
Pair = namedtuple("Pair", ["low", "high"])


@given(NESTED)
def test_round_trip_from_and_to_python(value):
    entered = static_values.from_python(value)
    assert static_values.is_static(entered)
    assert static_values.to_python(entered) == value
    assert static_values.is_true(entered) == bool(value)
    assert static_values.is_same(entered, static_values.from_python(value))


@given(PLAIN, PLAIN)
def test_same_constants_are_equal_and_of_one_type(one, other):
    same = static_values.is_same(constexpr(one), constexpr(other))
    assert same == (type(one) is type(other) and one == other)


def test_kinds():
    assert static_values.from_python(math) is math
    assert static_values.from_python(tl.load) is tl.load
    assert static_values.from_python(constexpr(tl.load)) is tl.load
    dtype = static_values.from_python(tl.float32)
    assert isinstance(dtype, constexpr)
    assert dtype.value == tl.float32
    pair = static_values.from_python(constexpr(Pair(1, (2, 3))))
    assert isinstance(pair, TupleValue)
    assert pair.fields == ("low", "high")
    assert static_values.to_python(pair) == (1, (2, 3))


def test_object_of_triton_without_a_counterpart_is_an_error():
    class Unknown:
        """A class that seems to be defined in Triton."""

    Unknown.__module__ = "triton.experimental.gluon"
    with pytest.raises(UnsupportedError, match=r"no counterpart of triton\.experimental\.gluon"):
        static_values.from_python(Unknown)
