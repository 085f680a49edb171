"""Which operations may vanish once nobody reads their results, decided once per class.

tt.addptr, tt.load   →  yes          tt.store, tt.return, tt.call   →  no
scf.for              →  if its body writes nothing
a volatile load, inline assembly     →  each one says for itself
"""

from __future__ import annotations

from functools import cache

from xdsl.traits import IsTerminator, RecursiveMemoryEffect, SymbolOpInterface

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.effects import KEEPS, declared, effects

__all__ = ["dead_when_unused", "is_terminator", "is_unused"]

_EACH_FOR_ITSELF = (tt.LoadOp, tt.ElementwiseInlineAsmOp, tt.ExternElementwiseOp)


@cache
def is_terminator(cls: type[Operation]) -> bool:
    """Tell whether operations of a class end their block."""
    return cls.has_trait(IsTerminator)


@cache
def _class_rule(cls: type[Operation]) -> bool | None:
    """Return the answer for every operation of a class, None where each must be asked."""
    if cls is ModuleOp or is_terminator(cls) or cls.has_trait(SymbolOpInterface):
        return False
    if cls in _EACH_FOR_ITSELF or cls.has_trait(RecursiveMemoryEffect):
        return None
    return not declared(cls)[0] & KEEPS


def dead_when_unused(op: Operation) -> bool:
    """Tell whether an operation could go if none of its results were used."""
    rule = _class_rule(type(op))
    return not effects(op) & KEEPS if rule is None else rule


def is_unused(op: Operation) -> bool:
    """Tell whether no result of an operation is used."""
    for result in op.results:  # a generator costs more than the loop
        if result.first_use is not None:
            return False
    return True
