"""Erase private functions that no public one reaches.

Before:  tt.func public @k() { … }   tt.func private @f() { … }      (nobody calls @f)
After:   tt.func public @k() { … }

Keeps: public functions, and what they call, directly or through others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation, SymbolRefAttr
from weft.ir.rewriting import erase, walk

__all__ = ["SymbolDce"]


@dataclass(frozen=True, slots=True)
class SymbolDce:
    """Post: every private function is reached from a public one."""

    name: ClassVar[str] = "symbol-dce"

    def run(self, module: ModuleOp) -> None:
        """Erase unreached functions in place."""
        functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
        if all(function.is_public for function in functions.values()):
            return
        reached = {name for name, function in functions.items() if function.is_public}
        todo: list[Operation] = [functions[name] for name in reached]
        todo += [op for op in module.body.block.ops if not isinstance(op, tt.FuncOp)]
        while todo:
            for op in walk(todo.pop()):
                for name in _symbols(op):
                    if name in functions and name not in reached:
                        reached.add(name)
                        todo.append(functions[name])
        for name, function in functions.items():
            if name not in reached:
                erase(function)


def _symbols(op: Operation) -> list[str]:
    """Return the names that an operation's properties and attributes refer to."""
    values = [*op.properties.values(), *op.attributes.values()]
    return [value.root_reference.data for value in values if isinstance(value, SymbolRefAttr)]
