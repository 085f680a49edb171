"""The blocks of a region in an order in which values are defined before they are used."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block

__all__ = ["reverse_post_order"]


def reverse_post_order(entry: Block) -> Sequence[Block]:
    """Return the blocks that can be reached, each after the blocks that dominate it."""
    finished: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            finished.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))
    return finished[::-1]


def _successors(block: Block) -> Sequence[Block]:
    return block.last_op.successors if block.last_op is not None else ()
