"""Tidy regions between rounds of rewriting: what cannot be reached goes, then what nobody reads.

    ^bb1:                    // no predecessors: erased
    ^bb2(%a: i32, %b: i32):  // %b only feeds itself round a loop: erased with its operands
      %n = arith.xori %c, %true    // lost its reader in this round: erased, with the constant

The greedy driver drops what is dead when it comes by, not what dies behind it; and a value that
is kept alive only by travelling round a cycle of blocks it cannot see at all. That a constant goes
here matters: another one of its value that the round made takes a new place at the front.
"""

from __future__ import annotations

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.cf import BranchOp, CondBranchOp
from weft.ir.interfaces import BranchOpInterface
from weft.ir.interfaces.branch import incoming_values
from weft.passes.rewrite.deadness import dead_when_unused, is_terminator, is_unused

__all__ = ["cut_off", "predecessors", "simplify_regions"]


def simplify_regions(region: Region) -> bool:
    """Erase unreachable blocks and what is dead in a region and all regions inside.

    Returns: whether anything was erased.
    """
    changed = _has_many_blocks(region) and _erase_unreachable(region)
    for block in reversed(tuple(region.blocks)):
        changed |= _erase_unused(block)
    if _has_many_blocks(region):
        changed |= _erase_dead_cycles(region)
    return changed


def _erase_unused(block: Block) -> bool:
    """Erase operations without readers, last to first, and tidy the regions of the others."""
    changed = False
    op = block.last_op
    while op is not None:
        before = op.prev_op
        if is_unused(op) and dead_when_unused(op):
            op.detach()
            op.erase(safe_erase=False)
            changed = True
        else:
            for inner in op.regions:
                changed |= simplify_regions(inner)
        op = before
    return changed


def _has_many_blocks(region: Region) -> bool:
    first = region.blocks.first
    return first is not None and first.next_block is not None


def predecessors(block: Block) -> list[Operation]:
    """Return the branches that lead to a block, one entry per edge."""
    return [use.operation for use in block.uses]


def _erase_unreachable(region: Region) -> bool:
    entry = region.blocks.first
    assert entry is not None
    reached, todo = {entry}, [entry]
    while todo:
        last = todo.pop().last_op
        for target in last.successors if last is not None else ():
            if target not in reached:
                reached.add(target)
                todo.append(target)
    gone = [block for block in region.blocks if block not in reached]
    for block in gone:
        region.detach_block(block)
    for block in gone:
        block.erase(safe_erase=False)
    return bool(gone)


def _erase_dead_cycles(region: Region) -> bool:
    """Cut dead arguments off their branches, then erase what is left without readers."""
    live = _live_values(region)
    entry = region.blocks.first
    arguments = [
        argument
        for block in region.blocks
        if block is not entry
        for argument in reversed(block.args)
        if argument not in live
    ]
    dead = [
        op
        for block in region.blocks
        for op in block.ops
        if op.results and dead_when_unused(op) and not any(r in live for r in op.results)
    ]
    for argument in arguments:
        cut_off(argument)
    for op in dead:
        op.detach()
        op.erase(safe_erase=False)
    for argument in arguments:
        argument.block.erase_arg(argument)
    return bool(arguments or dead)


def _live_values(region: Region) -> set[SSAValue]:
    """Return every value of a region that something with an effect depends on."""
    live: set[SSAValue] = set()
    todo: list[SSAValue] = []

    def need(value: SSAValue) -> None:
        if value not in live:
            live.add(value)
            todo.append(value)

    for block in region.blocks:
        for op in block.ops:
            _need_of(op, need)
    while todo:
        value = todo.pop()
        if isinstance(value, OpResult):
            op = value.op
            for operand in op.operands:
                need(operand)
            for inner in op.walk():
                for operand in inner.operands:
                    need(operand)
        elif isinstance(value, BlockArgument):
            for passed in incoming_values(value):
                need(passed)
    return live


def _need_of(op: Operation, need: object) -> None:
    """Mark what an operation needs for its own effect's sake."""
    assert callable(need)
    if isinstance(op, CondBranchOp):
        need(op.condition)
    elif isinstance(op, BranchOp):
        return
    elif is_terminator(type(op)) or not dead_when_unused(op):
        for inner in op.walk():
            for operand in inner.operands:
                need(operand)


def cut_off(argument: BlockArgument) -> None:
    """Stop passing values for an argument of a block."""
    block, index = argument.block, argument.index
    for branch in dict.fromkeys(predecessors(block)):
        assert isinstance(branch, BranchOpInterface)
        for successor, edge in enumerate(branch.block_edges()):
            if edge.block is block:
                operands = (*edge.operands[:index], *edge.operands[index + 1 :])
                branch.set_successor_operands(successor, operands)
