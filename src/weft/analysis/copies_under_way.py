"""How many instructions of copies may be under way where a kernel waits for certain ones.

    %a = ttg.async_copy_global_to_local …          4 instructions
    %g = ttg.async_commit_group tokens %a
    %b = ttg.async_copy_global_to_local …          2 instructions
    %w = ttg.async_wait %g                         those of %g: at most 2 may be under way

Hardware that counts instructions ends them in order, so all that were issued after the last one
that is waited for may be left. A token that goes through a loop or a choice was made in one of
several places; the least number of them holds. What cannot be followed counts as nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from weft.ir import scf

__all__ = ["InstructionCount", "issued_since"]

InstructionCount: TypeAlias = int
_ENDLESS = 1 << 30


def issued_since(wait: Operation, count: Callable[[Operation], InstructionCount]) -> int:
    """Return how many instructions are issued between the copies that are waited for and the wait.

    Args: wait: with the tokens as operands.  count: instructions that a copy issues for certain.
    Returns: the least over all ways; 0 where there are no tokens.
    """
    found = [_since(token, wait, count, frozenset()) for token in wait.operands]
    return min(found, default=0) if all(each < _ENDLESS for each in found) else 0


def _since(
    token: SSAValue,
    at: Operation,
    count: Callable[[Operation], InstructionCount],
    seen: frozenset[tuple[SSAValue, Operation]],
) -> int:
    """Return the least count from where a token was made to an operation."""
    if (token, at) in seen:
        return _ENDLESS  # once around a loop: another way is shorter
    seen = seen | {(token, at)}
    if isinstance(token, BlockArgument):
        return _from_argument(token, at, count, seen)
    made = token.owner
    assert isinstance(made, Operation)
    between = _between(made, at, count)
    if between is None:
        return 0
    if not made.regions:
        return between
    position = made.results.index(token)
    ends = []
    for region in made.regions:
        block = region.blocks.first
        last = None if block is None else block.last_op
        if last is None or not isinstance(last, scf.YieldOp) or len(region.blocks) > 1:
            return 0
        ends.append(_since(last.operands[position], last, count, seen))
    if isinstance(made, scf.ForOp):
        ends.append(_since(made.operands[3 + position], made, count, seen))
    return between + min(ends)


def _from_argument(
    token: BlockArgument,
    at: Operation,
    count: Callable[[Operation], InstructionCount],
    seen: frozenset[tuple[SSAValue, Operation]],
) -> int:
    loop = token.block.parent_op()
    first = token.block.first_op
    if not isinstance(loop, scf.ForOp) or first is None or not token.index:
        return 0
    here = _between(None, at, count, token.block)
    last = token.block.last_op
    if here is None or last is None:
        return 0
    position = token.index - 1
    before = _since(loop.operands[3 + position], loop, count, seen)
    again = _since(last.operands[position], last, count, seen)
    return here + min(before, again)


def _between(
    start: Operation | None,
    at: Operation,
    count: Callable[[Operation], InstructionCount],
    block: Block | None = None,
) -> int | None:
    """Return what is issued behind an operation, or from the start of a block, and before another.

    None: the other one does not come after it in the same block, or in one inside of it.
    """
    block = start.parent if start is not None else block
    end: Operation | None = at
    total = 0
    while end is not None and end.parent is not block:
        total += _before(end, count)
        end = end.parent_op()
    if end is None or block is None:
        return None
    current = block.first_op if start is None else start.next_op
    while current is not None and current is not end:
        total += _least(current, count)
        current = current.next_op
    return total if current is end else None


def _before(end: Operation, count: Callable[[Operation], InstructionCount]) -> int:
    """Return what is issued in a block before an operation."""
    total, current = 0, end.prev_op
    while current is not None:
        total += _least(current, count)
        current = current.prev_op
    return total


def _least(op: Operation, count: Callable[[Operation], InstructionCount]) -> int:
    """Return what an operation issues at least: a loop nothing, a choice the lesser side."""
    if not op.regions:
        return count(op)
    if not isinstance(op, scf.IfOp):
        return 0
    sides = []
    for region in op.regions:
        block = region.blocks.first
        sides.append(0 if block is None else sum(_least(each, count) for each in block.ops))
    return min(sides)
