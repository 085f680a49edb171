"""Let the instances of a batch go different ways, and bring them together again.

A branch whose condition differs splits the batch into groups. Each group runs with a copy of
the slots in which the values that the branch reads are cut down to the group; the results are
put back into arrays for the whole batch. A condition that all instances share costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.interpreter.batch import Batch
from weft.interpreter.registry import Slots
from weft.interpreter.values import Value, index_of, merge, take


@dataclass(frozen=True, slots=True)
class Group:
    """Some instances of a batch, with their own slots.

    Args: members: their sorted positions in the batch that was split.
    """

    members: np.ndarray
    slots: Slots
    batch: Batch

    def subset(self, chosen: np.ndarray, needed: Sequence[int]) -> Group:
        """Return the group of the instances where `chosen` is true.

        Args: chosen: bool, one per instance of this group.  needed: the slots they will read.
        """
        inside = np.flatnonzero(chosen)
        index = index_of(inside)
        slots = self.slots.copy()
        for slot in needed:
            slots[slot] = take(slots[slot], index)
        return Group(self.members[inside], slots, self.batch.take(index, len(inside)))


def everyone(slots: Slots, batch: Batch) -> Group:
    """Return the group of all instances of a batch; it shares their slots."""
    return Group(np.arange(batch.size), slots, batch)


class Gathered:
    """Collect what groups leave behind, and merge it for the whole batch."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._parts: list[tuple[np.ndarray, Sequence[Value]]] = []

    def add(self, members: np.ndarray, values: Sequence[Value]) -> None:
        """Note the values of some instances."""
        self._parts.append((members, values))

    def merged(self) -> list[Value]:
        """Return the values for all instances, in their order."""
        if len(self._parts) == 1:
            return list(self._parts[0][1])
        indexed = [(index_of(members), values) for members, values in self._parts]
        width = len(indexed[0][1])
        return [merge([(i, values[k]) for i, values in indexed], self.count) for k in range(width)]


def uniform(condition: np.ndarray) -> bool | None:
    """Return the truth that all instances share, or None where they differ."""
    if condition.size == 1:
        return bool(condition.item())
    if condition.all():
        return True
    return None if condition.any() else False
