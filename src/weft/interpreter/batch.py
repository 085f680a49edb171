"""The program instances that run together, and what they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.interpreter.memory import Memory
from weft.interpreter.tally import Tally
from weft.interpreter.values import Index


@dataclass(frozen=True, slots=True)
class Launch:
    """What every instance of one launch shares.

    Args: kernel: its name.  grid: programs along x, y, z.  memory: the arrays of the launch.
          tally: what counts, None where nobody asked.
    """

    kernel: str
    grid: tuple[int, int, int]
    memory: Memory
    tally: Tally | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Some program instances of a launch.

    Args: launch: theirs.  size: how many.  ids: program ids along x, y, z, each (size,) or (1,).
    """

    launch: Launch
    size: int
    ids: tuple[np.ndarray, np.ndarray, np.ndarray]

    def take(self, index: Index, size: int) -> Batch:
        """Return the batch of `size` of its instances."""
        x, y, z = (axis if len(axis) == 1 else axis[index] for axis in self.ids)
        return Batch(self.launch, size, (x, y, z))

    def program(self, instance: int) -> tuple[int, int, int]:
        """Return the program id of one instance."""
        x, y, z = (int(axis[instance if len(axis) > 1 else 0]) for axis in self.ids)
        return x, y, z
