"""The dominator tree of the blocks of a region, and the order of operations in a block.

    ^0 → ^1, ^2     ^1 → ^3     ^2 → ^3          the children of ^0 are ^1, ^2, ^3

The immediate dominator of a block is the nearest block that is on every path from the entry to it.
Starting from the entry, the immediate dominator of each block is the nearest common ancestor of
its predecessors in the tree so far; visiting the blocks in reverse postorder is repeated until
nothing changes.

Source: Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region

__all__ = ["dominator_tree", "is_before_in_block", "postorder", "successors"]


def postorder(region: Region) -> list[Block]:
    """List the reachable blocks, each after its successors, except for those of back edges."""
    entry = region.blocks.first
    if entry is None:
        return []
    visited: set[Block] = {entry}
    order: list[Block] = []
    stack = [(entry, iter(successors(entry)))]
    while stack:
        block, remaining = stack[-1]
        successor = next((target for target in remaining if target not in visited), None)
        if successor is None:
            order.append(block)
            stack.pop()
        else:
            visited.add(successor)
            stack.append((successor, iter(successors(successor))))
    return order


def successors(block: Block) -> tuple[Block, ...]:
    """List the successors of the terminator of a block."""
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """Compute the children of each reachable block in the dominator tree of a region."""
    order = postorder(region)
    if not order:
        return {}
    number = {block: index for index, block in enumerate(order)}
    entry = order[-1]
    idom: dict[Block, Block] = {entry: entry}
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for target in successors(block):
            predecessors[target].append(block)
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            # In reverse postorder at least one predecessor has an immediate dominator already.
            processed = [source for source in predecessors[block] if source in idom]
            dominator = processed[0]
            # Predecessors on back edges that have no dominator yet are ignored; a later pass over
            # the blocks corrects the result.
            for other in processed[1:]:
                dominator = _intersect(dominator, other, idom, number)
            if idom.get(block) is not dominator:
                idom[block] = dominator
                changed = True
    children: dict[Block, list[Block]] = {}
    for block in reversed(order[:-1]):
        children.setdefault(idom[block], []).append(block)
    return children


def _intersect(a: Block, b: Block, idom: dict[Block, Block], number: dict[Block, int]) -> Block:
    """Find the nearest common ancestor: ancestors have higher postorder numbers."""
    while a is not b:
        while number[a] < number[b]:
            a = idom[a]
        while number[b] < number[a]:
            b = idom[b]
    return a


def is_before_in_block(op: Operation, other: Operation) -> bool:
    """Check whether an operation precedes another one of the same block.

    It walks forward from both operations in turn. The cost is the distance between them or from the
    later one to the end of the block, whichever is less; xDSL's method walks to the end of the
    block if the answer is no.
    """
    if op is other or op.parent is None or op.parent is not other.parent:
        return False
    after_op, after_other = op.next_op, other.next_op
    while after_op is not None and after_other is not None:
        if after_op is other:
            return True
        if after_other is op:
            return False
        after_op, after_other = after_op.next_op, after_other.next_op
    return after_op is not None  # the walk that reached the end started from the later operation
