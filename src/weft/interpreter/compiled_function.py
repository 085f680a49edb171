"""Compiled functions, and whether their program instances must run one by one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.interpreter.block_graph import BlockGraph
from weft.interpreter.function_compiler import FunctionCompiler, operations
from weft.interpreter.ops.scf import waits_for_memory
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Slots
from weft.interpreter.values import Value
from weft.ir import amdg, nvws, scf, ttg, ttng
from weft.ir.dominance import postorder, successors

_ASYNC = (
    ttg.AsyncCopyGlobalToLocalOp,
    ttg.GlobalScratchAllocOp,
    ttg.WarpSpecializeOp,
    ttng.InitBarrierOp,
    ttng.WarpGroupDotOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMCopyOp,
    ttng.AsyncTMACopyLocalToGlobalOp,
    ttng.AsyncTMAReduceOp,
    ttng.AsyncTMAScatterOp,
    nvws.ArefCreateOp,
    nvws.WarpGroupOp,
    amdg.BufferLoadToLocalOp,
    amdg.AsyncCopyLocalToGlobalOp,
    amdg.AsyncTDMCopyGlobalToLocalOp,
    amdg.AsyncTDMCopyLocalToGlobalOp,
    amdg.AsyncTDMGatherOp,
    amdg.AsyncTDMScatterOp,
    amdg.InitBarrierOp,
)


class Function:
    """A compiled tt.func.

    Args:
        op: The function.
        compiler: A new compiler, which resolves calls to other functions.
    """

    def __init__(self, op: Operation, compiler: FunctionCompiler) -> None:
        self._graph = BlockGraph(op.regions[0], compiler, watch=needs_order(op))
        self._scope = compiler

    def call(self, batch: Batch, arguments: Sequence[Value]) -> list[Value]:
        """Run for a batch; return the results of the function."""
        slots: Slots = [None] * len(self._scope)
        return self._graph.call(slots, batch, arguments)


def needs_order(op: Operation) -> bool:
    """Check whether programs wait for each other, so that they have to run one by one.

    They do if a loop tests memory that other programs change: a lock or a counter. Programs with
    asynchronous operations run one by one, too, because each has its own pending ones.
    """
    region = op.regions[0]
    if any(isinstance(inner, _ASYNC) for inner in operations(region)):
        return True
    loops = [inner for inner in operations(region) if isinstance(inner, scf.WhileOp)]
    if any(waits_for_memory(o) for loop in loops for r in loop.regions for o in operations(r)):
        return True
    blocks = postorder(region)[::-1]
    order = {block: number for number, block in enumerate(blocks)}
    cyclic = any(order[t] <= order[b] for b in blocks for t in successors(b))
    return cyclic and any(waits_for_memory(inner) for inner in operations(region))
