"""Erase private functions that no public function reaches.

Before:  tt.func public @k() { … }   tt.func private @f() { … }      (@f is never called)
After:   tt.func public @k() { … }

Preserves public functions and everything that they call, directly or indirectly.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation, SymbolRefAttr
from weft.ir.rewriting import erase, walk

__all__ = ["SymbolDce"]


class SymbolDce(Struct, frozen=True):
    """Erases private functions that no public function reaches."""

    name: ClassVar[str] = "symbol-dce"

    def run(self, module: ModuleOp) -> None:
        """Erase unreachable functions in place."""
        functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
        if all(function.is_public for function in functions.values()):
            return
        reachable = {name for name, function in functions.items() if function.is_public}
        worklist: list[Operation] = [functions[name] for name in reachable]
        worklist += [op for op in module.body.block.ops if not isinstance(op, tt.FuncOp)]
        while worklist:
            for op in walk(worklist.pop()):
                for name in _symbols(op):
                    if name in functions and name not in reachable:
                        reachable.add(name)
                        worklist.append(functions[name])
        for name, function in functions.items():
            if name not in reachable:
                erase(function)


def _symbols(op: Operation) -> list[str]:
    """List the symbols that the properties and attributes of an operation refer to."""
    values = [*op.properties.values(), *op.attributes.values()]
    return [value.root_reference.data for value in values if isinstance(value, SymbolRefAttr)]
