"""Wait counts of waits for commit groups, without tokens.

    ttg.async_copy_global_to_local …        4 instructions
    ttg.async_commit_group
    ttg.async_copy_global_to_local …        2 instructions
    ttg.async_commit_group
    ttg.async_wait {num = 1}                1 group may be outstanding: at most 2 instructions

The search goes backwards from the wait and counts instructions, until it has passed as many commits
as groups may be outstanding and meets one more. Where control flow joins it goes on along every
predecessor, and the path with the least count is the answer. That is a shortest path, found
by Dijkstra's algorithm on (point, commits still to pass): paths are too many to go along each.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator

from msgspec import Struct

from weft.analysis.dataflow.call_graph import functions_of
from weft.ir import scf, tt, ttg
from weft.ir.builtin import Block, ModuleOp, Operation
from weft.ir.interfaces import CallOpInterface
from weft.ir.rewriting import ancestors

__all__ = ["UNBOUNDED", "function_contains", "max_outstanding_for_groups"]

_FOLLOWED = (
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.ExecuteRegionOp,
    tt.ReduceOp,
)  # regions that the search enters
UNBOUNDED = 1 << 30  # fewer groups were committed than may be outstanding


def _is_commit(op: Operation) -> bool:
    return isinstance(op, ttg.AsyncCommitGroupOp)


def max_outstanding_for_groups(
    wait: Operation,
    groups: int,
    count: Callable[[Operation], int],
    ends_group: Callable[[Operation], bool] = _is_commit,
    *,
    stop_at_start: bool = False,
) -> int:
    """Compute how many instructions may be outstanding after a wait for commit groups.

    Args:
        wait: The wait.
        groups: The number of commit groups that may be outstanding after it.
        count: The number of instructions that an operation issues for certain.
        ends_group: Whether an operation commits a group.
        stop_at_start: Whether a path on which fewer groups were committed, back to the start of
            the kernel, counts with what it issues, as in Triton. Otherwise it does not count, as
            it has nothing to wait for.

    Returns:
        The least count over all paths; UNBOUNDED if there is nothing to wait for. What cannot be
        followed counts as nothing, so that the wait is for all that was issued before.
    """
    if groups < 0:
        return 0  # wait for copies that no group has, too
    block = wait.parent
    assert block is not None
    order = itertools.count()  # breaks ties in the heap
    worklist = [(0, next(order), _Point(block, wait.prev_op, groups))]
    visited: set[_Point] = set()
    while worklist:
        total, _, point = heapq.heappop(worklist)
        if point in visited:
            continue
        visited.add(point)
        if _is_end(point, ends_group) or (stop_at_start and _is_start_of_kernel(point)):
            return total
        issued = 0 if point.op is None or point.op.regions else count(point.op)
        for predecessor in _predecessors(point, ends_group):
            heapq.heappush(worklist, (total + issued, next(order), predecessor))
    return UNBOUNDED


def function_contains(op: Operation, predicate: Callable[[Operation], bool]) -> bool:
    """Check whether the function around an operation has operations that satisfy a predicate."""
    function = next((outer for outer in ancestors(op) if isinstance(outer, tt.FuncOp)), None)
    outermost = function or [op, *ancestors(op)][-1]
    return any(map(predicate, outermost.walk()))


class _Point(Struct, frozen=True):
    """A program point, and how far the search has come there.

    Attributes:
        block: The block.
        op: The operation before the point, None at the start of the block.
        groups: The number of commits still to pass.
    """

    block: Block
    op: Operation | None
    groups: int


def _is_end(point: _Point, ends_group: Callable[[Operation], bool]) -> bool:
    """Check whether the search ends: at the commit of the group, or where it cannot go on.

    It does not go on before a call that may commit groups: their number is not known.
    """
    op = point.op
    if op is not None:
        if ends_group(op):
            return not point.groups
        if isinstance(op, CallOpInterface):
            return _callee_may_end_group(op, ends_group)
        branches = any(len(region.blocks) > 1 for region in op.regions)
        return bool(op.regions) and (branches or not isinstance(op, _FOLLOWED))
    parent = point.block.parent_op()
    return not isinstance(parent, _FOLLOWED) and not _is_start_of_kernel(point)


def _callee_may_end_group(call: CallOpInterface, ends_group: Callable[[Operation], bool]) -> bool:
    """Check whether a function that is called, also indirectly, may commit a group."""
    outer = [*ancestors(call)]
    module, own = outer[-1], next(op for op in outer if isinstance(op, tt.FuncOp))
    functions = functions_of(module) if isinstance(module, ModuleOp) else [own]
    return any(
        ends_group(op) for function in functions if function is not own for op in function.walk()
    )


def _is_start_of_kernel(point: _Point) -> bool:
    parent = point.block.parent_op()
    return (
        point.op is None
        and isinstance(parent, tt.FuncOp)
        and parent.is_public
        and point.block is parent.body.blocks.first
        and len(parent.body.blocks) == 1
    )


def _predecessors(point: _Point, ends_group: Callable[[Operation], bool]) -> Iterator[_Point]:
    """Yield the program points that control may come from."""
    op, groups = point.op, point.groups
    if op is None:
        parent = point.block.parent_op()
        if isinstance(parent, scf.WhileOp):
            yield from _predecessors_in_while(parent, point)
            return
        if isinstance(parent, scf.ForOp):
            yield _Point(point.block, point.block.last_op, groups)  # the iteration before
        if isinstance(parent, _FOLLOWED) and parent.parent is not None:
            yield _Point(parent.parent, parent.prev_op, groups)
        return
    if isinstance(op, scf.WhileOp):
        before = op.before.block
        yield _Point(before, before.last_op, groups)
        return
    if not op.regions or _may_skip_regions(op):
        yield _Point(point.block, op.prev_op, groups - ends_group(op))
    for region in () if isinstance(op, tt.ReduceOp) else op.regions:
        inside = region.blocks.first
        if inside is not None:
            yield _Point(inside, inside.last_op, groups)


def _predecessors_in_while(loop: scf.WhileOp, point: _Point) -> Iterator[_Point]:
    """Yield where control comes from at the start of one of the two regions of a loop."""
    before, after = loop.before.block, loop.after.block
    if point.block is after:
        yield _Point(before, before.last_op, point.groups)
        return
    yield _Point(after, after.last_op, point.groups)
    if loop.parent is not None:
        yield _Point(loop.parent, loop.prev_op, point.groups)


def _may_skip_regions(op: Operation) -> bool:
    if isinstance(op, tt.ReduceOp):
        return True  # no copies in its region
    return isinstance(op, scf.ForOp) or any(not region.blocks for region in op.regions)
