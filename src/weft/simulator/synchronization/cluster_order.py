"""Order of accesses between the blocks of a cluster, by counting its barriers.

A cluster barrier has two parts: a block arrives, and it waits for the arrivals of the others.

    block 0    writes byte 8      arrives    waits
    block 1                       arrives    waits    reads byte 8

Block 0 wrote the byte after 0 arrivals, and block 1 has waited once: the write is ordered before
the read, as 0 < 1. In the same way, a block may overwrite what another block read once it has
waited for that block's next arrival.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError
from weft.simulator.diagnostics import History
from weft.simulator.synchronization.accessors import Trace

__all__ = ["ClusterOrder"]

_NEVER = -1


@dataclass(slots=True)
class ClusterOrder:
    """Arrivals and waits of one block, and when its shared memory was accessed.

    Attributes:
        last_write: [byte]: how often the block had arrived when it wrote the byte last.
        last_read: [byte]: how often another block had arrived when it read the byte last.
        arriving: [thread]: whether it has arrived while others of the block have not.
        must_wait: [thread]: whether it has yet to wait for the last barrier.
        arrivals: Number of times that the block has arrived.
        waits: Number of times that it has waited.
        is_relaxed: Whether a thread of the current arrival has relaxed semantics.
        writes: The instructions that wrote the bytes last.
        reads: The instructions of other blocks that read them last.
    """

    last_write: np.ndarray
    last_read: np.ndarray
    arriving: np.ndarray
    must_wait: np.ndarray
    writes: Trace
    reads: Trace
    arrivals: int = 0
    waits: int = 0
    is_relaxed: bool = False

    @classmethod
    def of(cls, size: int, threads: int = 1, history: History | None = None) -> ClusterOrder:
        """Create the record of a block with a number of bytes and threads."""
        writes, reads = (Trace.of(size, history or History()) for _ in range(2))
        return cls(
            np.full(size, _NEVER),
            np.full(size, _NEVER),
            np.zeros(threads, bool),
            np.zeros(threads, bool),
            writes,
            reads,
        )

    def arrive_threads(self, threads: np.ndarray, running: np.ndarray, *, releases: bool) -> None:
        """Record that threads arrive; the block arrives with the last of them.

        Args:
            threads: [thread] mask.
            running: [thread]: whether it has not returned.
            releases: Whether blocks that wait for the arrival may read what the threads wrote.

        Raises:
            CodegenError: A thread has not waited since it arrived last.
        """
        if (threads & (self.arriving | self.must_wait)).any():
            raise CodegenError("a block arrives at the cluster barrier twice without a wait")
        self.arriving |= threads
        self.is_relaxed |= not releases
        self.complete_arrival(running)

    def complete_arrival(self, running: np.ndarray) -> None:
        """Let the block arrive if all threads have arrived that have not returned."""
        if self.arriving.any() and (self.arriving | ~running).all():
            self.must_wait |= self.arriving
            self.arriving[:] = False
            self.arrive(releases=not self.is_relaxed)
            self.is_relaxed = False

    def complete_wait(self, threads: np.ndarray) -> None:
        """Record that threads have waited for all blocks."""
        self.must_wait &= ~threads
        self.waits = self.arrivals

    def arrive(self, *, releases: bool) -> None:
        """Record that the block arrives; argument as of `arrive_threads`."""
        if not releases:
            # Accesses before a relaxed arrival are ordered by the next one only.
            for access in (self.last_write, self.last_read):
                access[access == self.arrivals] += 1
        self.arrivals += 1

    def write(self, places: np.ndarray) -> None:
        """Record that the block writes bytes of its shared memory.

        Raises:
            RaceError: Another block may still read one of them.
        """
        is_ordered = self.last_read[places] < self.waits
        _check(is_ordered, places, "writes", "another block reads", self.reads)
        self.last_write[places] = self.arrivals
        self.writes.record(places)

    def read_by(self, places: np.ndarray, reader: ClusterOrder) -> None:
        """Record that another block reads bytes.

        Raises:
            RaceError: This block may still write one of them.
        """
        is_ordered = self.last_write[places] < reader.waits
        trace = Trace(self.writes.steps, reader.writes.history)
        _check(is_ordered, places, "reads", "another block writes", trace)
        self.last_read[places] = np.maximum(self.last_read[places], reader.arrivals)
        self.reads.steps[places] = reader.writes.history.current


def _check(
    is_ordered: np.ndarray, places: np.ndarray, verb: str, other_access: str, trace: Trace
) -> None:
    if not is_ordered.all():
        place = int(np.broadcast_to(places, is_ordered.shape)[~is_ordered][0])
        raise trace.error(
            f"a block {verb} byte {place} of shared memory that {other_access}, with no cluster"
            " barrier between",
            place,
        )
