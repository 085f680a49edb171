"""Order accesses of the warps of a block to shared memory by vector clocks.

A barrier of some warps orders their accesses among each other, not against those of the other
warps; an mbarrier orders what its arrivers did before they arrived against what its waiters do
after they waited. In a warp-specialized kernel both occur:

    warp 4 (loads)     wait on empty;            copy to the buffer
    warps 0 to 3       arrive at empty;  barrier;  read the buffer;  barrier

The consumers arrive before they read: the copy races with the reads, and no barrier helps.

Each warp counts its releases: barriers and arrivals. clocks[v, w] is the number of warp w's
releases that warp v has observed. The stamp of an access of warp w is the number of its next
release; warp v is ordered after the access once it has observed that release. The tensor core is
one more participant, that counts the tcgen05 instructions of the block; a wait for a tcgen05.commit
observes those before it.

Source: L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978;
C. Flanagan and S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weft.simulator.synchronization.accessors import NONE, Trace

__all__ = ["WarpOrder"]

Clock = NDArray[np.int32]


@dataclass(slots=True)
class WarpOrder:
    """What each warp of a block has observed of the others, and stamps of accesses.

    Attributes:
        warp_size: Threads of a warp.
        clocks: [warp, participant]: number of releases, or tcgen05 instructions, observed.
        read_stamps: [byte, participant]: stamp of its last read, 0 if it has not read.
        writer: [byte]: the warp that wrote it last, or NONE.
        write_stamps: [byte]: stamp of the last write.
        writes: The instructions that wrote each byte last.
        reads: The instructions that read each byte last.
        cluster_clock: What the arrivals at the cluster barrier observed.
    """

    warp_size: int
    clocks: Clock
    read_stamps: Clock
    writer: Clock
    write_stamps: Clock
    writes: Trace
    reads: Trace
    cluster_clock: Clock

    @classmethod
    def of(cls, size: int, threads: int, warp_size: int, writes: Trace, reads: Trace) -> WarpOrder:
        """Create the record of a block with a number of bytes and threads."""
        warps = -(-threads // warp_size)
        return cls(
            warp_size,
            np.zeros((warps, warps + 1), np.int32),
            np.zeros((size, warps + 1), np.int32),
            np.full(size, NONE, np.int32),
            np.zeros(size, np.int32),
            writes,
            reads,
            np.zeros(warps + 1, np.int32),
        )

    @property
    def tensor_core(self) -> int:
        """Number of the tensor core among the participants."""
        return self.clocks.shape[0]

    # Synchronization.

    def barrier(self, threads: NDArray[np.bool_]) -> None:
        """Order all accesses of some threads before the barrier before those after it.

        Args:
            threads: [thread] mask.
        """
        warps = self._warps_of_mask(threads)
        self.clocks[warps, warps] += 1
        self.clocks[warps] = self.clocks[warps].max(axis=0)

    def arrive_at_cluster_barrier(self, threads: NDArray[np.bool_]) -> None:
        """Record that some threads arrive at the cluster barrier; argument as of `barrier`."""
        warps = self._warps_of_mask(threads)
        self.clocks[warps, warps] += 1
        self.cluster_clock = np.maximum(self.cluster_clock, self.clocks[warps].max(axis=0))

    def wait_for_cluster_barrier(self, threads: NDArray[np.bool_]) -> None:
        """Let some threads observe the arrivals of all; argument as of `barrier`."""
        warps = self._warps_of_mask(threads)
        self.clocks[warps] = np.maximum(self.clocks[warps], self.cluster_clock)

    def _warps_of_mask(self, threads: NDArray[np.bool_]) -> NDArray[np.intp]:
        return np.unique(np.flatnonzero(threads) // self.warp_size)

    def release(self, thread: int) -> Clock:
        """Count a release of a thread's warp; return the warp's clock, which acquirers observe."""
        warp = thread // self.warp_size
        self.clocks[warp, warp] += 1
        return self.clocks[warp].copy()

    def release_of_tensor_core(self, instructions: int, issuer: Clock) -> Clock:
        """Compute the clock of a tcgen05.commit.

        Args:
            instructions: Number of tcgen05 instructions up to it.
            issuer: Clock of the warp when it issued the commit.
        """
        clock = issuer.copy()
        clock[self.tensor_core] = max(clock[self.tensor_core], instructions)
        return clock

    def acquire(self, thread: int, clock: Clock | None) -> None:
        """Let a thread's warp observe a clock that others released."""
        if clock is not None:
            warp = thread // self.warp_size
            np.maximum(self.clocks[warp], clock, out=self.clocks[warp])

    # Accesses.

    def read(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Record that threads read bytes.

        Args:
            places: [thread, byte] addresses; any shape if there is one thread.
            threads: Numbers of the threads.

        Raises:
            RaceError: Another warp's write of one of the bytes is not ordered before the read.
        """
        warps = self._warps(places, threads)
        self._check_writes(places, warps, "reads")
        self.read_stamps[places, warps] = 1 + self.clocks[warps, warps]

    def read_by_tensor_core(self, places: np.ndarray, thread: int, instruction: int) -> None:
        """Record that a tcgen05 instruction, with a number, reads bytes; a thread issues it."""
        self._check_writes(places, np.array(thread // self.warp_size), "reads")
        self.read_stamps[places, self.tensor_core] = instruction

    def write(self, places: np.ndarray, threads: np.ndarray, *, is_copy: bool = False) -> None:
        """Record that threads write bytes; arguments as of `read`.

        Args:
            places: As of `read`.
            threads: As of `read`.
            is_copy: Whether the threads issue a copy, whose completion `AsyncCopies` tracks.

        Raises:
            RaceError: Another warp's access to one of the bytes is not ordered before the write.
        """
        warps = self._warps(places, threads)
        verb = "copies to" if is_copy else "writes"
        self._check_writes(places, warps, verb)
        stamps = self.read_stamps[places]  # […, participant]
        is_race = stamps > self.clocks[warps]
        # A warp's own reads precede its writes in program order.
        own = np.arange(stamps.shape[-1]) == np.broadcast_to(warps, places.shape)[..., None]
        is_race &= ~own
        if is_race.any():
            *index, participant = (int(each[0]) for each in np.nonzero(is_race))
            self._fail(places, warps, tuple(index), verb, participant, "reads", self.reads)
        if is_copy:
            self.forget(places)
        else:
            self.writer[places] = warps
            self.write_stamps[places] = 1 + self.clocks[warps, warps]

    def forget(self, places: np.ndarray) -> None:
        """Forget accesses to bytes that a copy overwrites."""
        self.read_stamps[places] = 0
        self.writer[places] = NONE

    def _warps(self, places: np.ndarray, threads: np.ndarray) -> np.ndarray:
        """Compute the warp of each access, of a shape that broadcasts to that of the places."""
        warps = np.asarray(threads) // self.warp_size
        if len(warps) == 1:
            return warps.reshape(())
        return warps[:, None]

    def _check_writes(self, places: np.ndarray, warps: np.ndarray, verb: str) -> None:
        """Check that the last writes of bytes are ordered before accesses of warps."""
        writer = self.writer[places]
        is_race = (writer != NONE) & (writer != warps)
        is_race &= self.write_stamps[places] > self.clocks[warps, writer]
        if is_race.any():
            index = tuple(int(each[0]) for each in np.nonzero(is_race))
            self._fail(places, warps, index, verb, int(writer[index]), "writes", self.writes)

    def _fail(
        self,
        places: np.ndarray,
        warps: np.ndarray,
        index: tuple[int, ...],
        verb: str,
        other: int,
        other_verb: str,
        trace: Trace,
    ) -> None:
        warp = int(np.broadcast_to(warps, places.shape)[index])
        name = "the tensor core" if other == self.tensor_core else f"warp {other}"
        place = int(places[index])
        raise trace.error(
            f"warp {warp} {verb} byte {place} of shared memory that {name} {other_verb}, and"
            " neither waits for the other",
            place,
        )
