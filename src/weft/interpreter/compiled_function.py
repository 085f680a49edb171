"""Compiled functions, and whether their programs must run one by one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.interpreter.block_graph import BlockGraph
from weft.interpreter.function_compiler import FunctionCompiler, operations
from weft.interpreter.ops.scf import waits_for_memory
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Slots
from weft.interpreter.values import Value
from weft.ir.dominance import postorder, successors


class Function:
    """A compiled tt.func.

    Args: op: the function.  compiler: a new compiler, that knows how to call others.
    """

    def __init__(self, op: Operation, compiler: FunctionCompiler) -> None:
        self._graph = BlockGraph(op.regions[0], compiler, watch=needs_order(op))
        self._scope = compiler

    def call(self, batch: Batch, arguments: Sequence[Value]) -> list[Value]:
        """Run for a batch and return the function's results."""
        slots: Slots = [None] * len(self._scope)
        return self._graph.call(slots, batch, arguments)


def needs_order(op: Operation) -> bool:
    """Tell whether programs of this function wait for each other, so must run one by one.

    That is so where a loop tests memory that other programs change (a lock, a counter).
    """
    region = op.regions[0]
    loops = [inner for inner in operations(region) if inner.name == "scf.while"]
    if any(waits_for_memory(o) for loop in loops for r in loop.regions for o in operations(r)):
        return True
    blocks = postorder(region)[::-1]
    order = {block: number for number, block in enumerate(blocks)}
    cyclic = any(order[t] <= order[b] for b in blocks for t in successors(b))
    return cyclic and any(waits_for_memory(inner) for inner in operations(region))
