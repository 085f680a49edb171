"""How often a block of a cluster met the others, and when its shared memory was touched by whom.

A meeting is a barrier of the cluster, and it has two ends: a block arrives, and it has waited.

    block 0    writes byte 8      arrives    waits
    block 1                       arrives    waits    reads byte 8      written at 0, waited 1

What one block wrote after it had arrived `n` times, another may read that has waited more often
than `n` times; and what was read from another block, so may be written again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError

__all__ = ["Meetings"]

_NEVER = -1


@dataclass(slots=True)
class Meetings:
    """What one block of a cluster did.

    arrived, waited: times.  here: threads that have arrived while others of the block have not.
    awaited: those that have yet to wait for the last arrival.  relaxed: whether one of them
    arrived so that others may not read what it wrote.
    written, read: of each byte of its shared memory, how often its writer had arrived when it was
    written last, and how often another block had when it read it last.
    """

    written: np.ndarray
    read: np.ndarray
    here: np.ndarray
    awaited: np.ndarray
    arrived: int = 0
    waited: int = 0
    relaxed: bool = False

    @classmethod
    def of(cls, size: int, threads: int = 1) -> Meetings:
        """Return a block that has met nobody, with so many bytes of shared memory."""
        nobody = np.zeros(threads, bool), np.zeros(threads, bool)
        return cls(np.full(size, _NEVER), np.full(size, _NEVER), *nobody)

    def come(self, threads: np.ndarray, running: np.ndarray, *, releases: bool) -> None:
        """Note that threads arrive.

        Args: running: threads that have not returned.
        Raises: CodegenError: one of them has not waited since it arrived last.
        """
        if (threads & (self.here | self.awaited)).any():
            raise CodegenError("a block arrives at its cluster's barrier twice without a wait")
        self.here |= threads
        self.relaxed |= not releases
        self.settle(running)

    def settle(self, running: np.ndarray) -> None:
        """Let the block arrive if all threads have that still run; others may have returned."""
        if self.here.any() and (self.here | ~running).all():
            self.awaited |= self.here
            self.here[:] = False
            self.arrive(releases=not self.relaxed)
            self.relaxed = False

    def go_on(self, threads: np.ndarray) -> None:
        """Note that threads have waited for all blocks that arrived last."""
        self.awaited &= ~threads
        self.waited = self.arrived

    def arrive(self, *, releases: bool) -> None:
        """Note that the block arrives.

        Args: releases: whether those that wait for it may read what it wrote before.
        """
        if not releases:
            for touched in (self.written, self.read):
                touched[touched == self.arrived] += 1
        self.arrived += 1

    def write(self, places: np.ndarray) -> None:
        """Note that the block writes bytes of its own.

        Raises: CodegenError: another block may still be reading one of them.
        """
        _require(self.read[places] < self.waited, places, "writes", "another block reads")
        self.written[places] = self.arrived

    def read_by(self, places: np.ndarray, reader: Meetings) -> None:
        """Note that another block reads bytes.

        Raises: CodegenError: the block may still be writing one of them.
        """
        _require(self.written[places] < reader.waited, places, "reads", "another block writes")
        self.read[places] = np.maximum(self.read[places], reader.arrived)


def _require(ordered: np.ndarray, places: np.ndarray, verb: str, past: str) -> None:
    if not ordered.all():
        place = int(np.broadcast_to(places, ordered.shape)[~ordered][0])
        raise CodegenError(
            f"a block {verb} byte {place} of shared memory that {past}, with no barrier of the"
            " cluster between"
        )
