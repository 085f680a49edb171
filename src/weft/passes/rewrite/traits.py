"""Traits of operation classes, cached: xDSL computes them anew on each query."""

from __future__ import annotations

from functools import cache

from xdsl.traits import Commutative, IsolatedFromAbove, IsTerminator

from weft.ir.builtin import Operation

__all__ = ["is_commutative", "is_isolated_from_above", "is_terminator"]


@cache
def is_commutative(cls: type[Operation]) -> bool:
    """Check whether the operands of a class can be in any order."""
    return cls.has_trait(Commutative)


@cache
def is_isolated_from_above(cls: type[Operation]) -> bool:
    """Check whether the regions of a class use no values from outside."""
    return cls.has_trait(IsolatedFromAbove)


@cache
def is_terminator(cls: type[Operation]) -> bool:
    """Check whether the operations of a class end their block."""
    return cls.has_trait(IsTerminator)
