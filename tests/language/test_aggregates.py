"""Aggregates in host code: fields, constructors, checks."""

# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportOperatorIssue=false, reportFunctionMemberAccess=false
from __future__ import annotations

from typing import NamedTuple

import pytest

import weft.language as tl


@tl.core.aggregate
class State:
    x: tl.constexpr
    y: tl.constexpr


def test_a_class_without_constructor_assigns_its_fields():
    state = State(3, y=7)
    assert isinstance(state.x, tl.constexpr)
    assert (state.x.value, state.y.value) == (3, 7)
    assert (State.__name__, State.__module__) == ("State", __name__)
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        State(3)


def test_tuples_become_tuples_of_constants():
    class Shape(NamedTuple):
        rows: int
        columns: object

    @tl.core.aggregate
    class Tile:
        shape: tl.tuple

    tile = Tile(Shape(3, tl.constexpr(7)))
    assert isinstance(tile.shape, tl.tuple)
    assert [each.value for each in tile.shape] == [3, 7]
    assert tile.shape.columns.value == 7
    with pytest.raises(AttributeError, match="tuple has no field depth"):
        _ = tile.shape.depth


def test_a_constructor_runs():
    @tl.core.aggregate
    class Next:
        x: tl.constexpr

        @tl.constexpr_function
        def __init__(self, x):
            self.x = tl.constexpr(x + self.one())

        @tl.constexpr_function
        def one(self):
            return 1

    assert Next(tl.constexpr(10)).x.value == 11


def test_mistakes_in_a_constructor():
    @tl.core.aggregate
    class Wrong:
        x: tl.constexpr

        def __init__(self, name):
            if name is not None:
                setattr(self, name, 1)

    with pytest.raises(AttributeError, match="Wrong did not initialize attribute 'x'"):
        Wrong(None)
    with pytest.raises(AttributeError, match="Wrong has no attribute 'z'"):
        Wrong("z")
    with pytest.raises(TypeError, match=r"Expected .*constexpr.* for attribute 'x', got .*int"):
        Wrong("x")
