"""Compile-time constants and functions."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.language.constexpr import (
    ConstexprFunction,
    constexpr,
    constexpr_function,
    constexpr_type,
    unwrap,
)

OPERATORS = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)
NUMBERS = st.integers(-1000, 1000)


@given(st.sampled_from(OPERATORS), NUMBERS, NUMBERS)
def test_operators_apply_to_the_values(function, a, b):
    expected = function(a, b)
    for left, right in ((constexpr(a), b), (a, constexpr(b)), (constexpr(a), constexpr(b))):
        result = function(left, right)
        assert isinstance(result, constexpr)
        assert result.value == expected


@given(NUMBERS, st.integers(1, 20))
def test_division_and_shift(a, b):
    assert (constexpr(a) // b).value == a // b
    assert (a % constexpr(b)).value == a % b
    assert (constexpr(a) / b).value == a / b
    assert (constexpr(a) << b).value == a << b
    assert (a >> constexpr(b)).value == a >> b
    assert (constexpr(2) ** b).value == 2**b
    assert (-constexpr(a)).value == -a
    assert (~constexpr(a)).value == ~a
    assert (+constexpr(a)).value == a


def test_use_as_a_python_value():
    assert constexpr(constexpr(3)).value == 3
    assert not constexpr(0)
    assert range(constexpr(3)) == range(3)
    assert int(constexpr(3)) + float(constexpr(1.5)) == 4.5
    assert f"{constexpr(3):03d} {constexpr('x')}" == "003 x"
    assert constexpr([1, 2])[constexpr(1)].value == 2
    assert len(constexpr([1, 2])) == len([*constexpr([1, 2])])
    assert constexpr(True).logical_and(0).value == 0
    assert constexpr(0).logical_or(5).value == 5
    assert constexpr(max)(constexpr(2), 3).value == 3
    assert repr(constexpr(3)) == "constexpr[3]"
    assert unwrap(3) == 3


def test_type_of_a_constant():
    assert constexpr_type(constexpr(3)) == constexpr_type(3)
    assert constexpr_type(3) != 3
    assert repr(constexpr_type(3)) == "constexpr_type[3]"


def test_function_of_constants():
    @constexpr_function
    def double(x):
        return 2 * x

    assert isinstance(double, ConstexprFunction)
    assert double(3) == 6
    assert double(constexpr(3)).value == 6
    assert double.__name__ == "double"


def test_operators_do_not_apply_to_run_time_values():
    class Value:
        handle = None

    with pytest.raises(TypeError):
        _ = constexpr(3) + Value()
