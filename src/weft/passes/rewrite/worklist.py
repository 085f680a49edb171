"""A stack of operations without duplicates.

The order in which operations are popped decides the order in which constants are created and
operations merge, so it is visible in the IR. It is the order of MLIR's greedy driver:

    push a, b, c, b   →   pop c, b, a        (the second push of b has no effect)
"""

from __future__ import annotations

from weft.ir.builtin import Operation

__all__ = ["Worklist"]


class Worklist:
    """A last-in-first-out worklist of operations."""

    __slots__ = ("_index", "_items")

    def __init__(self) -> None:
        self._items: list[Operation | None] = []  # None: removed
        # Keyed by id, which is stable because `_items` keeps the operation alive.
        self._index: dict[int, int] = {}

    def push(self, op: Operation) -> None:
        """Add an operation on top; one that is in the list keeps its position."""
        if id(op) not in self._index:
            self._index[id(op)] = len(self._items)
            self._items.append(op)

    def pop(self) -> Operation | None:
        """Remove and return the operation on top, None if the list is empty."""
        items = self._items
        while items:
            op = items.pop()
            if op is not None:
                del self._index[id(op)]
                return op
        return None

    def remove(self, op: Operation) -> None:
        """Remove an operation, if it is in the list."""
        position = self._index.pop(id(op), None)
        if position is not None:
            self._items[position] = None

    def reverse(self) -> None:
        """Reverse the order."""
        self._items = [op for op in reversed(self._items) if op is not None]
        self._index = {id(op): position for position, op in enumerate(self._items)}
