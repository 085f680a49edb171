"""Replace the uses of iter_args that nothing but their own update needs by their init args.

    %r:2 = scf.for … iter_args(%a = %x, %b = %y) {
      %m = arith.addf %a, %c
      %n = arith.addf %b, %c              →     %n = arith.addf %y, %c
      scf.yield %m, %n
    }
    use of %r#0 alone

Assume that every value is dead, and mark those that a used result or an operation with effects
depends on. The iter_arg stays; the patterns of scf.for drop it, where they run.
Source: Triton 3.7.1, populateForOpDeadArgumentElimination of Transforms/Utility.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import scf
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.interfaces import forwarded_from, would_be_trivially_dead
from weft.passes.rewrite.nesting import is_defined_inside
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["replace_dead_iter_args"]

_FORWARDING = frozenset({scf.YieldOp, scf.ForOp})


def replace_dead_iter_args(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the uses of dead iter_args of a loop by their init args (a pattern of scf.for)."""
    assert isinstance(op, scf.ForOp)
    live = _live_values(op)
    if live is None:
        return False
    changed = False
    for argument, init, value in zip(op.iter_args, op.init_args, op.yielded_values, strict=True):
        if value in live or value is argument or argument.first_use is None:
            continue
        # A value from outside is different from the init arg in the first iteration.
        if value is init or is_defined_inside(value, op):
            rewriter.replace_uses(argument, init)
            changed = True
    return changed


def _live_values(loop: scf.ForOp) -> set[SSAValue] | None:
    """Find the values in a loop that its used results or effects depend on.

    None if no iter_arg can be dead, or if an scf.while is among their producers: its results
    depend on its regions.
    """
    live: set[SSAValue] = set()
    worklist: list[SSAValue] = []

    def mark_live(values: Iterable[SSAValue]) -> None:
        for value in values:
            if value not in live and is_defined_inside(value, loop):
                live.add(value)
                worklist.append(value)

    # Roots: the yielded values of used results, and the operands of operations with effects.
    yielded = loop.yielded_values
    mark_live(
        value for value, result in zip(yielded, loop.results, strict=True) if result.first_use
    )
    if len(live) == len(loop.results):
        return None
    for op in loop.walk():
        if op is not loop and type(op) not in _FORWARDING and not would_be_trivially_dead(op):
            mark_live(op.operands)
    while worklist:
        value = worklist.pop()
        if type(value) is OpResult and type(value.op) is scf.WhileOp:
            return None
        mark_live(_sources(value))
    return live


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """List the values that a value depends on."""
    if isinstance(value, OpResult):
        op, index = value.op, value.index
        if isinstance(op, scf.ForOp):
            return (op.init_args[index], op.yielded_values[index])
        if isinstance(op, scf.IfOp):
            blocks = (block for region in op.regions for block in region.blocks)
            return (op.condition, *(_terminator(block).operands[index] for block in blocks))
        return op.operands
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    return (forwarded_from(value) or ()) if isinstance(loop, scf.ForOp) else ()


def _terminator(block: Block) -> Operation:
    terminator = block.last_op
    assert terminator is not None
    return terminator
