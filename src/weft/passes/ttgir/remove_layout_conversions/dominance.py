"""Dominance and post-dominance between operations of a function, across nested regions.

    ^bb: a                dominates(a, c), dominates(a, d): a ran when they run
         if … { d }       postdominates(c, d), postdominates(c, a): c runs after they ran
         c                not postdominates(d, a): the branch may not be taken

In regions of a single block the order of operations decides.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue
from weft.ir.dominance import dominator_tree, is_before_in_block

__all__ = ["dominates", "operations", "postdominates"]


def operations(function: Operation) -> list[Operation]:
    """List the operations on tensors in a function, in pre-order."""
    ops: list[Operation] = []
    for region in function.regions:
        _collect(region, ops)
    return ops


def _collect(region: Region, ops: list[Operation]) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            ops.append(op)
            # A region that runs on elements contains no tensors.
            if op.regions and not isinstance(op, tt.ElementRegionOp):
                for inner in op.regions:
                    _collect(inner, ops)
            op = op.next_op


def dominates(value: SSAValue, user: Operation) -> bool:
    """Check whether a value is available at an operation."""
    if isinstance(value, OpResult):
        producer = value.op
        block = producer.parent
        assert block is not None
        ancestor = _ancestor_in(user, block.parent)
        if ancestor is None or ancestor is producer:
            return False
        if ancestor.parent is block:
            return is_before_in_block(producer, ancestor)
        return _block_dominates(block, ancestor.parent)
    owner = value.owner
    assert isinstance(owner, Block)
    ancestor = _ancestor_in(user, owner.parent)
    if ancestor is None:
        return False
    return ancestor.parent is owner or _block_dominates(owner, ancestor.parent)


def postdominates(later: Operation, earlier: Operation) -> bool:
    """Check whether every path from one operation to an exit runs another one, or is inside it."""
    block = later.parent
    assert block is not None
    # `earlier` may be nested deeper: whenever it runs, its ancestor runs to the end.
    ancestor = _ancestor_in(earlier, block.parent)
    if ancestor is None:
        return False
    if ancestor is later:
        return earlier is not later
    if ancestor.parent is block:
        return is_before_in_block(ancestor, later)
    return _block_postdominates(block, ancestor.parent)


def _ancestor_in(op: Operation, region: Region | None) -> Operation | None:
    """Find the operation directly in a region that is or contains another operation."""
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
    worklist = list(children.get(block, ()))
    while worklist:
        current = worklist.pop()
        if current is other:
            return True
        worklist.extend(children.get(current, ()))
    return False


def _block_postdominates(block: Block, other: Block | None) -> bool:
    """Check whether every path from `other` to an exit of the region passes through `block`."""
    assert other is not None
    # Search for an exit without entering `block`.
    visited = {other}
    worklist = [other]
    while worklist:
        terminator = worklist.pop().last_op
        successors = tuple(terminator.successors) if terminator is not None else ()
        if not successors:
            return False
        for successor in successors:
            if successor is not block and successor not in visited:
                visited.add(successor)
                worklist.append(successor)
    return True
