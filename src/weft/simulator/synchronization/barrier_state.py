"""What is known of a barrier of arrivals while a block runs: NVIDIA's, and gfx1250's.

Instructions on them are in mbarriers.py and lds_barriers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError

__all__ = ["Expected", "Mbarrier"]


@dataclass(slots=True)
class Mbarrier:
    """One barrier.

    count: arrivals of a phase.  missing: those that the current phase waits for.  bytes: those
    that copies have yet to bring.  coming: what lands the copies that were started.  owed: what
    has products done that arrive here; nobody need wait for them before the barrier ends.
    told: threads that know what has landed, per copy of the last phase, which is `told_in`.
    known: the same of copies that told another barrier, of which threads that arrive here know, or
    whose products this one waits for.
    """

    count: int
    missing: int
    phase: int = 0
    bytes: int = 0
    coming: list[Callable[[], np.ndarray]] = field(default_factory=list)
    owed: list[Callable[[], np.ndarray]] = field(default_factory=list)
    told: list[np.ndarray] = field(default_factory=list)
    told_in: int = 0
    known: list[np.ndarray] = field(default_factory=list)

    @property
    def untouched(self) -> bool:
        """Return whether nothing has arrived yet, nor is to."""
        fresh = not (self.phase or self.bytes or self.coming or self.owed)
        return fresh and self.missing == self.count

    def arrive(self, times: int) -> None:
        """Count arrivals.

        Raises: CodegenError: more than the phase waits for.
        """
        if times > self.missing:
            raise CodegenError(
                "more threads arrive at a barrier than it counts",
                found=times,
                accepted=[self.count],
            )
        self.missing -= times
        self.complete()

    def complete(self) -> None:
        """Begin the next phase if nothing is missing."""
        if not self.missing and not self.bytes:
            self.phase += 1
            self.missing = self.count

    def land(self) -> None:
        """Let the copies and products that were started arrive."""
        if self.coming or self.owed:
            if self.told_in != self.phase:
                self.told, self.told_in = [], self.phase
            self.told += [land() for land in (*self.coming, *self.owed)]
            self.coming.clear()
            self.owed.clear()


@dataclass(slots=True)
class Expected:
    """What is known of a barrier of gfx1250's beside its bits.

    coming: copies that will arrive: (counter, warp, what ends it).  told: of those that arrived,
    who knows.  arrivers: threads that arrived.
    """

    coming: list[tuple[str, int, Callable[[], None]]] = field(default_factory=list)
    told: list[np.ndarray] = field(default_factory=list)
    arrivers: set[int] = field(default_factory=set)
