"""A last-in-first-out list of operations that holds each of them once.

The order in which operations come off this list decides the order in which constants appear
and operations merge, so it is part of what a pass promises:

    push a, b, c, b   →   pop c, b, a        (the second b finds itself already there)
"""

from __future__ import annotations

from weft.ir.builtin import Operation

__all__ = ["Worklist"]


class Worklist:
    """Hold operations that are still to be looked at; the last one pushed comes out first."""

    __slots__ = ("_index", "_items")

    def __init__(self) -> None:
        self._items: list[Operation | None] = []
        self._index: dict[int, int] = {}  # by id: `_items` keeps alive what it is of

    def push(self, op: Operation) -> None:
        """Add an operation, unless it is already there: then it keeps its place."""
        if id(op) not in self._index:
            self._index[id(op)] = len(self._items)
            self._items.append(op)

    def pop(self) -> Operation | None:
        """Take the operation that was pushed last, None where there is none."""
        items = self._items
        while items:
            op = items.pop()
            if op is not None:
                del self._index[id(op)]
                return op
        return None

    def remove(self, op: Operation) -> None:
        """Forget an operation, which may be absent."""
        place = self._index.pop(id(op), None)
        if place is not None:
            self._items[place] = None

    def reverse(self) -> None:
        """Turn the order around: what would come out last comes out first."""
        kept = [op for op in reversed(self._items) if op is not None]
        self._items = list(kept)
        self._index = {id(op): place for place, op in enumerate(kept)}
