"""Which block comes before which on every path: the dominator tree of a region.

    ^0 → ^1, ^2     ^1 → ^3     ^2 → ^3          ^0 dominates all three; ^3 hangs under ^0

The immediate dominator of a block is the nearest block that every path to it runs through.
Found by repeating, in reverse postorder, "the common ancestor of all my predecessors" until
nothing changes (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001).
"""

from __future__ import annotations

from xdsl.ir import Block, Region

__all__ = ["dominator_tree", "postorder", "successors"]


def postorder(region: Region) -> list[Block]:
    """Return the blocks that the entry reaches, each after all its successors (save for cycles)."""
    entry = region.blocks.first
    if entry is None:
        return []
    seen: set[Block] = {entry}
    order: list[Block] = []
    stack = [(entry, iter(successors(entry)))]
    while stack:
        block, ahead = stack[-1]
        following = next((target for target in ahead if target not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors(following))))
    return order


def successors(block: Block) -> tuple[Block, ...]:
    """Return the blocks that may run next."""
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """Return the children of each block in the dominator tree of a region."""
    order = postorder(region)
    if not order:
        return {}
    number = {block: index for index, block in enumerate(order)}
    entry = order[-1]
    above: dict[Block, Block] = {entry: entry}
    incoming: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for target in successors(block):
            incoming[target].append(block)
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            known = [source for source in incoming[block] if source in above]
            nearest = known[0]
            for other in known[1:]:
                nearest = _common(nearest, other, above, number)
            if above.get(block) is not nearest:
                above[block] = nearest
                changed = True
    children: dict[Block, list[Block]] = {}
    for block in reversed(order[:-1]):
        children.setdefault(above[block], []).append(block)
    return children


def _common(a: Block, b: Block, above: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] < number[b]:
            a = above[a]
        while number[b] < number[a]:
            b = above[b]
    return a
