"""Wait counts of waits for tokens.

    %a = ttg.async_copy_global_to_local …          4 instructions
    %g = ttg.async_commit_group tokens %a
    %b = ttg.async_copy_global_to_local …          2 instructions
    %w = ttg.async_wait %g                         2 may be outstanding: those of %b

A token is followed back to the operations that may have defined it: through loop-carried values
and results of conditionals. On each path the instructions between the definition and the wait are
counted, and the least count is taken.

    scf.for … iter_args(%t = %g) {
      %w = ttg.async_wait %t                 from %g: what is issued between %g and the loop
      %c = ttg.async_copy_global_to_local …
      %h = ttg.async_commit_group tokens %c
      scf.yield %h                           from %h: 0, nothing follows it in the iteration
    }
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.scf.trip_count import trip_count

__all__ = ["max_outstanding_for_tokens"]

Count = Callable[[Operation], int]
_Path = frozenset[tuple[SSAValue, Operation]]
_CYCLE = 1 << 30  # more than any count: a path around a loop is not shorter than one out of it


def max_outstanding_for_tokens(
    wait: Operation, count: Count, *, follow_results: bool = True
) -> int:
    """Compute how many instructions may be outstanding after a wait for tokens.

    Args:
        wait: An operation with the tokens as operands.
        count: The number of instructions that an operation issues for certain.
        follow_results: Whether a token that a loop or conditional returns is followed to where it
            was defined inside. Otherwise what is issued there counts as nothing, as in Triton.

    Returns:
        The least count over all paths; 0 if there are no tokens, or if one cannot be followed.
    """
    search = _Search(count, follow_results)
    counts = [_issued_since(token, wait, search, frozenset()) for token in wait.operands]
    return min(counts, default=0) if all(each < _CYCLE for each in counts) else 0


class _Search(Struct, frozen=True):
    """What a search is for: see `max_outstanding_for_tokens`."""

    count: Count
    follow_results: bool


def _issued_since(token: SSAValue, use: Operation, search: _Search, path: _Path) -> int:
    """Count the instructions between the definition of a token and an operation that reads it."""
    if (token, use) in path:
        return _CYCLE
    path |= {(token, use)}
    count = search.count
    if isinstance(token, BlockArgument):
        return _issued_since_argument(token, use, search, path)
    assert isinstance(token, OpResult)
    definition = token.op
    after_definition = _issued_between(definition.parent, definition, use, count)
    if after_definition is None:
        return 0
    if not definition.regions or not search.follow_results:
        return after_definition
    # The token is one that a region of its definition yields, or an initial value of a loop.
    counts: list[int] = []
    for region in definition.regions:
        block = region.blocks.first
        terminator = None if block is None else block.last_op
        if not isinstance(terminator, scf.YieldOp) or len(region.blocks) > 1:
            return 0
        counts.append(_issued_since(terminator.operands[token.index], terminator, search, path))
    if isinstance(definition, scf.ForOp):
        init = definition.init_args[token.index]
        counts.append(_issued_since(init, definition, search, path))
    return after_definition + min(counts)


def _issued_since_argument(
    token: BlockArgument, use: Operation, search: _Search, path: _Path
) -> int:
    """Count the instructions since the definition of a token that a loop carries."""
    loop = token.block.parent_op()
    if not isinstance(loop, scf.ForOp) or token not in loop.iter_args:
        return 0
    in_iteration = _issued_between(token.block, None, use, search.count)
    if in_iteration is None:
        return 0
    position = loop.iter_args.index(token)
    first = _issued_since(loop.init_args[position], loop, search, path)
    later = _issued_since(loop.yielded_values[position], loop.terminator, search, path)
    return in_iteration + min(first, later)


def _issued_between(
    block: Block | None, start: Operation | None, end: Operation, count: Count
) -> int | None:
    """Count the instructions that are issued between two operations.

    Args:
        block: The block of `start`.
        start: The first operation, not counted; None for the start of the block.
        end: The second operation, not counted; in the block or in an operation of it.
        count: The number of instructions that an operation issues for certain.

    Returns:
        The least count; None if `end` does not come after `start` in the block.
    """
    # Go out from `end` to the block, counting what precedes it on each level.
    outer: Operation | None = end
    total = 0
    while outer is not None and outer.parent is not block:
        total += _issued_before(outer, count)
        outer = outer.parent_op()
    if outer is None or block is None:
        return None
    current = block.first_op if start is None else start.next_op
    while current is not None and current is not outer:
        total += _least_issued(current, count)
        current = current.next_op
    return total if current is outer else None


def _issued_before(op: Operation, count: Count) -> int:
    total, current = 0, op.prev_op
    while current is not None:
        total += _least_issued(current, count)
        current = current.prev_op
    return total


def _least_issued(op: Operation, count: Count) -> int:
    """Count the instructions that an operation issues at least, with its regions."""
    if not op.regions:
        return count(op)
    if isinstance(op, scf.ForOp):
        iterations = trip_count(op) or 0  # a loop of an unknown count may run no iteration
        return iterations and iterations * _least_issued_in(op.body.block, count)
    if not isinstance(op, scf.IfOp):
        return 0
    counts: list[int] = []
    for region in op.regions:
        block = region.blocks.first
        counts.append(0 if block is None else _least_issued_in(block, count))
    return min(counts)


def _least_issued_in(block: Block, count: Count) -> int:
    return sum(_least_issued(each, count) for each in block.ops)
