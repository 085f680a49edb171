"""Which operations have run, or will have run, when another one runs.

    ^bb: a                dominates(a, c), dominates(a, d): a has run when they do
         if … { d }       comes_after(c, d), comes_after(c, a): c runs when they have run
         c                not comes_after(d, a): the branch may not be taken

Regions of one block need no analysis: there the order of the text decides.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue
from weft.ir.dominance import dominator_tree

__all__ = ["always_runs_after", "dominates", "operations"]

# Their regions combine scalars: no tensor is in them.
_COMBINING = frozenset({tt.ReduceOp, tt.ScanOp, tt.MapElementwiseOp})


def operations(function: Operation) -> list[Operation]:
    """Return all operations of a function on tensors, outer before inner, in the text's order."""
    found: list[Operation] = []
    for region in function.regions:
        _collect(region, found)
    return found


def _collect(region: Region, found: list[Operation]) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            found.append(op)
            if op.regions and type(op) not in _COMBINING:
                for inner in op.regions:
                    _collect(inner, found)
            op = op.next_op


def dominates(value: SSAValue, reader: Operation) -> bool:
    """Tell whether a value is there wherever an operation runs."""
    if isinstance(value, OpResult):
        made = value.op
        block = made.parent
        assert block is not None
        around = _within(reader, block.parent)
        if around is None or around is made:
            return False
        if around.parent is block:
            return made.is_before_in_block(around)
        return _block_dominates(block, around.parent)
    owner = value.owner
    assert isinstance(owner, Block)
    around = _within(reader, owner.parent)
    return around is not None and (around.parent is owner or _block_dominates(owner, around.parent))


def always_runs_after(later: Operation, earlier: Operation) -> bool:
    """Tell whether one operation runs behind another one on every path, or holds it."""
    block = later.parent
    assert block is not None
    around = _within(earlier, block.parent)
    if around is None:
        return False
    if around is later:
        return earlier is not later
    if around.parent is block:
        return around.is_before_in_block(later)
    return _block_always_follows(block, around.parent)


def _within(op: Operation, region: Region | None) -> Operation | None:
    """Return the operation of a region that is, or holds, another one."""
    current: Operation | None = op
    while current is not None:
        block = current.parent
        if block is None:
            return None
        if block.parent is region:
            return current
        current = block.parent_op()
    return None


def _block_dominates(block: Block, other: Block | None) -> bool:
    region = block.parent
    assert region is not None
    assert other is not None
    children = dominator_tree(region)
    todo = list(children.get(block, ()))
    while todo:
        current = todo.pop()
        if current is other:
            return True
        todo.extend(children.get(current, ()))
    return False


def _block_always_follows(block: Block, other: Block | None) -> bool:
    """Tell whether every path from a block to an end of the region comes through another one."""
    assert other is not None
    seen = {other}
    todo = [other]
    while todo:
        last = todo.pop().last_op
        targets = tuple(last.successors) if last is not None else ()
        if not targets:
            return False
        for target in targets:
            if target is not block and target not in seen:
                seen.add(target)
                todo.append(target)
    return True
