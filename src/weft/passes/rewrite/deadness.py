"""Class tests that the drivers ask per operation, decided once per class."""

from __future__ import annotations

from functools import cache

from xdsl.traits import IsTerminator

from weft.ir.builtin import Operation
from weft.ir.interfaces import would_be_trivially_dead as dead_when_unused

__all__ = ["dead_when_unused", "is_terminator", "is_unused"]


@cache
def is_terminator(cls: type[Operation]) -> bool:
    """Check whether operations of a class end their block."""
    return cls.has_trait(IsTerminator)


def is_unused(op: Operation) -> bool:
    """Check whether no result of an operation is used."""
    for result in op.results:  # a generator costs more than the loop
        if result.first_use is not None:
            return False
    return True
