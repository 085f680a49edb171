"""How many instructions of copies may be under way where a kernel waits for groups without tokens.

    ttg.async_copy_global_to_local …        4 instructions
    ttg.async_commit_group
    ttg.async_copy_global_to_local …        2 instructions
    ttg.async_commit_group
    ttg.async_wait {num = 1}                one group may be under way: at most 2 instructions

What is issued is counted backwards from the wait, until one commit more is met than groups may be
under way. Ways part where control joins, and the least of them holds; where none meets so many
commits, nothing is waited for. What cannot be followed counts as nothing: all is waited for.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from xdsl.ir import Block, Operation

from weft.ir import scf, tt

__all__ = ["ENDLESS", "function_has", "issued_since_group"]

_COMMIT = "ttg.async_commit_group"
ENDLESS = 1 << 30


def issued_since_group(wait: Operation, groups: int, count: Callable[[Operation], int]) -> int:
    """Return how many instructions may be under way behind a wait.

    Args: groups: that may be under way.  count: instructions that an operation issues for certain.
    Returns: ENDLESS where there is nothing to wait for.
    Source: Dijkstra's shortest path, backwards over places and the commits to pass by there; the
    ways through a kernel are too many to be followed one by one.
    """
    block = wait.parent
    assert block is not None
    order = itertools.count()
    waiting = [(0, next(order), _Place(block, wait.prev_op, groups))]
    seen: set[_Place] = set()
    while waiting:
        total, _, place = heapq.heappop(waiting)
        if place in seen:
            continue
        seen.add(place)
        if _is_end(place):
            return total
        issued = 0 if place.op is None or place.op.regions else count(place.op)
        for before in _before(place):
            heapq.heappush(waiting, (total + issued, next(order), before))
    return ENDLESS


def function_has(op: Operation, names: Collection[str]) -> bool:
    """Tell whether the function of an operation has any of these names."""
    around = op
    while (parent := around.parent_op()) is not None and not isinstance(around, tt.FuncOp):
        around = parent
    return any(each.name in names for each in around.walk())


@dataclass(frozen=True, slots=True)
class _Place:
    """Behind an operation of a block, None for the block's start, and the commits to pass by."""

    block: Block
    op: Operation | None
    groups: int


def _is_end(place: _Place) -> bool:
    """Tell whether nothing more is counted: the commit is met, or what is before is not known."""
    op = place.op
    if op is not None:
        if op.name == _COMMIT:
            return not place.groups
        return bool(op.regions) and not isinstance(op, scf.ForOp | scf.IfOp)
    return not isinstance(place.block.parent_op(), scf.ForOp | scf.IfOp) and not _is_first(place)


def _is_first(place: _Place) -> bool:
    """Tell whether a kernel starts at the start of a block, and no branch leads there."""
    parent = place.block.parent_op()
    return (
        isinstance(parent, tt.FuncOp)
        and parent.is_public
        and place.block is parent.regions[0].blocks.first
        and len(parent.regions[0].blocks) == 1
    )


def _before(place: _Place) -> Iterator[_Place]:
    """Yield the places that may come right before one."""
    op, groups = place.op, place.groups
    if op is None:
        parent = place.block.parent_op()
        if isinstance(parent, scf.ForOp):
            yield _Place(place.block, place.block.last_op, groups)
        if isinstance(parent, scf.ForOp | scf.IfOp) and parent.parent is not None:
            yield _Place(parent.parent, parent.prev_op, groups)
        return
    if not op.regions or _may_be_skipped(op):
        yield _Place(place.block, op.prev_op, groups - (op.name == _COMMIT))
    for region in op.regions:
        inside = region.blocks.first
        if inside is not None:
            yield _Place(inside, inside.last_op, groups)


def _may_be_skipped(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) or any(not region.blocks for region in op.regions)
