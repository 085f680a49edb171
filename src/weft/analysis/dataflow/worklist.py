"""A worklist of operations that yields them in program order.

    %a = …               0
    scf.for … {          1
      %b = f %a          2       pushed: 4, 2, 2       popped: 2, 4
      scf.yield %b       3
    }
    %c = g %b            4

An operation comes before those in its regions, and these before the next operation of its block;
blocks of one region come in reverse postorder. So an inner loop reaches its fixpoint before the
operations after it are visited, and each of them is visited with operands that have settled.
"""

from __future__ import annotations

from weft.ir.builtin import Block, Operation, Region
from weft.ir.dominance import postorder, successors

__all__ = ["Worklist", "loop_headers", "reverse_postorder"]


def reverse_postorder(region: Region) -> list[Block]:
    """List the blocks that the entry block reaches, each before its successors except in cycles."""
    entry = region.blocks.first
    if entry is None or entry.next_block is None:
        return [] if entry is None else [entry]
    return postorder(region)[::-1]


def loop_headers(region: Region) -> set[Block]:
    """Find the blocks that an edge leads back to, in reverse postorder of a region."""
    headers: set[Block] = set()
    visited: set[Block] = set()
    for block in reverse_postorder(region):
        visited.add(block)
        headers.update(target for target in successors(block) if target in visited)
    return headers


class Worklist:
    """Operations to visit, each at most once, the first in program order next."""

    __slots__ = ("_cursor", "_operations", "_pending", "_positions")

    def __init__(self) -> None:
        self._operations: list[Operation] = []  # by position
        self._positions: dict[Operation, int] = {}
        self._pending = bytearray()  # by position: 1 if the operation is to be visited
        self._cursor = 0  # no operation before it is pending

    def number(self, region: Region) -> None:
        """Give every reachable operation in a region the next positions."""
        for block in reverse_postorder(region):
            for op in block.ops:
                self._positions[op] = len(self._operations)
                self._operations.append(op)
                for nested in op.regions:
                    self.number(nested)
        self._pending.extend(bytes(len(self._operations) - len(self._pending)))

    def push(self, op: Operation) -> None:
        """Add a numbered operation, unless it is there already."""
        position = self._positions[op]
        self._pending[position] = 1
        if position < self._cursor:
            self._cursor = position

    def pop(self) -> Operation | None:
        """Remove and return the first operation, None if there is none."""
        position = self._pending.find(1, self._cursor)
        if position < 0:
            return None
        self._pending[position] = 0
        self._cursor = position + 1
        return self._operations[position]
