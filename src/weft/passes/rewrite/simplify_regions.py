"""Simplify regions between iterations of the greedy driver: erase unreachable blocks and dead code.

    ^bb1:                          // no predecessors: erased
    ^bb2(%a: i32, %b: i32):        // only the branch back to ^bb2 uses %b: erased
      %n = arith.xori %c, %true    // its last use was erased in this iteration: erased with %true

The driver erases an operation that is dead when it visits it, but neither one that becomes dead
after its visit nor a value whose uses form a cycle through block arguments. Erasing a constant here
is visible in the IR: if the next iteration needs an equal one, it is created anew at the start of
the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.cf import BranchOp, CondBranchOp
from weft.ir.interfaces import BranchOpInterface, is_trivially_dead, would_be_trivially_dead
from weft.ir.interfaces.branch import incoming_values
from weft.passes.rewrite.traits import is_terminator

__all__ = ["predecessors", "remove_branch_operands", "simplify_regions"]


def simplify_regions(region: Region) -> bool:
    """Erase unreachable blocks and dead code in a region and the regions inside.

    Returns:
        Whether anything was erased.
    """
    changed = _has_many_blocks(region) and _erase_unreachable(region)
    for block in reversed(tuple(region.blocks)):
        changed |= _erase_dead_operations(block)
    if _has_many_blocks(region):
        changed |= _erase_dead_cycles(region)
    return changed


def _erase_dead_operations(block: Block) -> bool:
    """Erase dead operations, last to first, so that users go before their operands."""
    changed = False
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        if is_trivially_dead(op):
            op.detach()
            op.erase(safe_erase=False)
            changed = True
        else:
            for inner in op.regions:
                changed |= simplify_regions(inner)
        op = previous
    return changed


def _has_many_blocks(region: Region) -> bool:
    first = region.blocks.first
    return first is not None and first.next_block is not None


def predecessors(block: Block) -> list[Operation]:
    """List the branches to a block, one entry per edge."""
    return [use.operation for use in block.uses]


def _erase_unreachable(region: Region) -> bool:
    entry = region.blocks.first
    assert entry is not None
    reachable, worklist = {entry}, [entry]
    while worklist:
        terminator = worklist.pop().last_op
        for successor in terminator.successors if terminator is not None else ():
            if successor not in reachable:
                reachable.add(successor)
                worklist.append(successor)
    unreachable = [block for block in region.blocks if block not in reachable]
    # Detach all of them first: unreachable blocks may branch to each other.
    for block in unreachable:
        region.detach_block(block)
    for block in unreachable:
        block.erase(safe_erase=False)
    return bool(unreachable)


def _erase_dead_cycles(region: Region) -> bool:
    """Erase block arguments and operations that no live operation depends on."""
    live = _live_values(region)
    entry = region.blocks.first
    dead_arguments = [
        argument
        for block in region.blocks
        if block is not entry
        for argument in reversed(block.args)
        if argument not in live
    ]
    dead_ops = [
        op
        for block in region.blocks
        for op in block.ops
        if op.results
        and would_be_trivially_dead(op)
        and not any(result in live for result in op.results)
    ]
    # First the operands of branches, then the operations that use each other in any order, and
    # last the arguments, which have no uses by then.
    for argument in dead_arguments:
        remove_branch_operands(argument)
    for op in dead_ops:
        op.detach()
        op.erase(safe_erase=False)
    for argument in dead_arguments:
        argument.block.erase_arg(argument)
    return bool(dead_arguments or dead_ops)


def _live_values(region: Region) -> set[SSAValue]:
    """Collect every value that an operation with an effect depends on."""
    live: set[SSAValue] = set()
    live_ops: set[Operation] = set()
    worklist: list[SSAValue] = []

    def mark_live(value: SSAValue) -> None:
        if value not in live:
            live.add(value)
            worklist.append(value)

    for block in region.blocks:
        for op in block.ops:
            _mark_operands_of_effects(op, mark_live)
    while worklist:
        value = worklist.pop()
        if isinstance(value, OpResult):
            if value.op in live_ops:
                continue  # a loop is walked for its first live result, not for each
            live_ops.add(value.op)
            for operand in _operands_within(value.op):
                mark_live(operand)
        elif isinstance(value, BlockArgument):
            for operand in incoming_values(value):
                mark_live(operand)
    return live


def _mark_operands_of_effects(op: Operation, mark_live: Callable[[SSAValue], None]) -> None:
    """Mark the operands that an operation needs whether or not its results have uses."""
    if isinstance(op, CondBranchOp):
        mark_live(op.condition)  # its other operands live only as long as the block arguments
    elif isinstance(op, BranchOp):
        return
    elif is_terminator(type(op)) or not would_be_trivially_dead(op):
        for operand in _operands_within(op):
            mark_live(operand)


def _operands_within(op: Operation) -> Iterable[SSAValue]:
    """List the operands of an operation and of the operations in its regions."""
    if not op.regions:
        return op.operands
    return [operand for inner in op.walk() for operand in inner.operands]


def remove_branch_operands(argument: BlockArgument) -> None:
    """Remove the operand for a block argument from every branch to its block."""
    block, index = argument.block, argument.index
    for branch in dict.fromkeys(predecessors(block)):
        assert isinstance(branch, BranchOpInterface)
        for successor, edge in enumerate(branch.block_edges()):
            if edge.block is block:
                operands = (*edge.operands[:index], *edge.operands[index + 1 :])
                branch.set_successor_operands(successor, operands)
