"""Print the buffers that memory descriptors may refer to (test-print-alias).

Before:  %a = ttg.local_alloc …                      After:  the same IR; and remarks
         %b = scf.if %c {                                    kernel.mlir:1:1: remark: %0 -> %0
           scf.yield %a                                      …:3:1: remark: %1 -> %0,%2
         } else {
           %d = ttg.local_alloc …
           scf.yield %d
         }

Values have the names of the printed module; each buffer has that of its allocation. The arguments
of a loop are printed with the loop, those of other blocks with the branch that ends the block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from weft.analysis.buffer_aliases import Aliases, buffer_aliases
from weft.analysis.dataflow.call_graph import functions_of
from weft.ir import scf
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.interfaces import BranchOpInterface
from weft.ir.rewriting import walk
from weft.ir.text.numbering import Names
from weft.passes.diagnostics import emit_remark

__all__ = ["PrintAlias"]


class PrintAlias(Struct, frozen=True):
    """Prints the buffers of shared memory that each value may refer to."""

    name: ClassVar[str] = "test-print-alias"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module."""
        names = Names(module).values
        for function in functions_of(module):
            if function.body.blocks:
                aliases = buffer_aliases(function)
                for op in walk(function):
                    _print_aliases(op, aliases, names)


def _print_aliases(op: Operation, aliases: Aliases, names: Mapping[SSAValue, str]) -> None:
    if isinstance(op, BranchOpInterface) and op.parent is not None:
        for argument in op.parent.args:
            _print(op.location, argument, argument, aliases, names)
    if isinstance(op, scf.ForOp) and op.results:
        for argument, init in zip(op.iter_args, op.init_args, strict=True):
            _print(op.location, argument, init, aliases, names)
    for result in op.results:
        _print(op.location, result, result, aliases, names)


def _print(
    location: Attribute,
    value: SSAValue,
    source: SSAValue,
    aliases: Aliases,
    names: Mapping[SSAValue, str],
) -> None:
    """Print the buffers of `source` as those of `value`, if there are any."""
    buffers = sorted(f"%{names[buffer]}" for buffer in aliases.get(source, ()))
    if buffers:
        emit_remark(location, f"%{names[value]} -> {','.join(buffers)}")
