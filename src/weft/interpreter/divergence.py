"""Divergence: instances of a batch that take different branches, and merge again.

    condition [1 1 1 1]      all instances take one branch; no cost
    condition [1 0 1 0]      group of instances 0 and 2, group of instances 1 and 3

Each group runs with a copy of the slots, in which the values that the branch reads are reduced to
the instances of the group. The results are merged into arrays for the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Slots
from weft.interpreter.values import Value, index_of, merge, take


@dataclass(frozen=True, slots=True)
class Group:
    """Some instances of a batch, with slots for their values.

    Attributes:
        members: Their positions in the batch that was split, sorted.
        slots: Their values.
        batch: Their program ids.
    """

    members: np.ndarray
    slots: Slots
    batch: Batch

    def subset(self, condition: np.ndarray, needed: Sequence[int]) -> Group:
        """Select the instances for which a condition is true.

        Args:
            condition: One bool per instance of this group.
            needed: The slots that the instances will read.
        """
        inside = np.flatnonzero(condition)
        index = index_of(inside)
        slots = self.slots.copy()
        for slot in needed:
            slots[slot] = take(slots[slot], index)
        return Group(self.members[inside], slots, self.batch.take(index, len(inside)))


def whole_batch(slots: Slots, batch: Batch) -> Group:
    """Construct the group of all instances of a batch; it shares their slots."""
    return Group(np.arange(batch.size), slots, batch)


class GroupResults:
    """The values that groups end with, to be merged for the whole batch."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._parts: list[tuple[np.ndarray, Sequence[Value]]] = []

    def add(self, members: np.ndarray, values: Sequence[Value]) -> None:
        """Add the values of some instances."""
        self._parts.append((members, values))

    def merged(self) -> list[Value]:
        """Merge the values of all instances, in their order."""
        if len(self._parts) == 1:
            return list(self._parts[0][1])
        indexed = [(index_of(members), values) for members, values in self._parts]
        width = len(indexed[0][1])
        return [merge([(i, values[k]) for i, values in indexed], self.count) for k in range(width)]


def uniform_condition(condition: np.ndarray) -> bool | None:
    """Find the value of a condition that is the same for all instances, None if it differs."""
    if condition.size == 1:
        return bool(condition.item())
    if condition.all():
        return True
    return None if condition.any() else False
