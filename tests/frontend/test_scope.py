"""Scopes: order of names, copies, unbound names."""

from __future__ import annotations

from weft.frontend.scope import Scope


def test_rebinding_keeps_the_order():
    scope = Scope()
    for name, value in (("b", 1), ("a", 2), ("b", 3)):
        scope.bind(name, value)
    assert list(scope.values.items()) == [("b", 3), ("a", 2)]


def test_copy_is_independent():
    scope = Scope({"a": 1})
    inner = scope.copy()
    inner.bind("a", 2)
    inner.unbind("a", "gone")
    assert scope.values == {"a": 1}
    assert scope.unbound == {}
    assert inner.unbound == {"a": "gone"}


def test_unbound_name_can_be_bound_again():
    scope = Scope({"a": 1})
    scope.unbind("a", "gone")
    scope.bind("a", 2)
    assert (scope.values, scope.unbound) == ({"a": 2}, {})
