"""Track asynchronous copies (TMA, TDM, cp.async) that access bytes of shared memory.

A copy runs between its issue and the wait for it. Its number is its place in the order in which
copies completed:

    copy writes bytes 0-7        writing[0:8] = True; every access to them is an error
    it completes as number 3     writing[0:8] = False, copy[0:8] = 3, visible_to[3] = [no thread]
    thread 5 waits for it        visible_to[3][5] = True: thread 5 may access the bytes
    a barrier of threads 4-7     visible_to[3][4:8] = True
    a barrier of all threads     copy[:] = none: every thread may access them
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weft.simulator.diagnostics import History
from weft.simulator.synchronization.accessors import NONE, Trace

__all__ = ["AsyncCopies"]


@dataclass(slots=True)
class AsyncCopies:
    """The asynchronous copies that access a block's shared memory.

    Attributes:
        writing: [byte]: whether an unfinished copy writes it.
        reading: [byte]: whether an unfinished copy reads it.
        copy: [byte]: number of the complete copy that wrote it, or -1.
        visible_to: Number of a complete copy → [thread]: whether the thread has synchronized with
            it.
        writes: The instructions that issued the copies that write bytes, or wrote them last.
        reads: The same of the copies that read them.
    """

    writing: NDArray[np.bool_]
    reading: NDArray[np.bool_]
    copy: NDArray[np.int64]
    writes: Trace
    reads: Trace
    visible_to: list[NDArray[np.bool_]] = field(default_factory=list)

    @classmethod
    def of(cls, size: int, history: History | None = None) -> AsyncCopies:
        """Create the record for a number of bytes, without copies."""
        writes, reads = (Trace.of(size, history or History()) for _ in range(2))
        return cls(np.zeros(size, bool), np.zeros(size, bool), np.full(size, NONE), writes, reads)

    def begin_write(self, places: np.ndarray) -> None:
        """Record that a copy starts to write bytes."""
        self.writing[places] = True
        self.writes.record(places)

    def begin_read(self, places: np.ndarray) -> None:
        """Record that a copy starts to read bytes."""
        self.reading[places] = True
        self.reads.record(places)

    def end_write(self, places: np.ndarray, threads: int) -> NDArray[np.bool_]:
        """Record that a copy has written bytes.

        Args:
            places: Addresses of the bytes.
            threads: Threads of the block.

        Returns:
            [thread]: which threads have synchronized with the copy, none yet. Waits set it.
        """
        self.writing[places] = False
        self.copy[places] = len(self.visible_to)
        self.visible_to.append(np.zeros(threads, bool))
        return self.visible_to[-1]

    def end_read(self, places: np.ndarray) -> None:
        """Record that a copy has read bytes."""
        self.reading[places] = False

    def forget(self, places: np.ndarray) -> None:
        """Forget which copies wrote bytes, or write them."""
        self.writing[places] = False
        self.copy[places] = NONE

    def synchronize(self, threads: NDArray[np.bool_]) -> None:
        """Make a copy that is visible to one of some threads visible to all of them.

        Args:
            threads: [thread] mask.
        """
        for visible in self.visible_to:
            visible[threads] |= visible[threads].any()

    def synchronize_all(self) -> None:
        """Make all complete copies visible to all threads."""
        self.copy[:] = NONE
        self.visible_to.clear()

    def visible_bytes(self, threads: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Compute the bytes whose copy, if there is one, is visible to all of some threads.

        Args:
            threads: [thread] mask.

        Returns:
            [byte] mask.
        """
        # The last entry is for bytes that no copy wrote, whose number is -1.
        is_visible = np.array([visible[threads].all() for visible in self.visible_to] + [True])
        return is_visible[self.copy]

    def check_access(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Check that no copy writes bytes, and that those that did are visible to the threads.

        Args:
            places: Addresses: [thread, byte], or of any shape if all threads access all of them.
            threads: Numbers of the threads.

        Raises:
            RaceError: One does, or is not.
        """
        _check_none(
            self.writing,
            places,
            "a thread accesses shared memory that an unfinished asynchronous copy writes",
            self.writes,
        )
        copies = self.copy[places]
        for number in np.unique(copies):
            if number == NONE:
                continue
            if len(threads) == len(places):
                accessing = np.broadcast_to(threads[:, None], places.shape)[copies == number]
            else:
                accessing = threads
            if not self.visible_to[number][accessing].all():
                raise self.writes.error(
                    "a thread accesses shared memory that an asynchronous copy wrote, and did not"
                    " wait for the copy",
                    int(places[copies == number][0]),
                )

    def check_thread_write(self, places: np.ndarray) -> None:
        """Check that no unfinished copy reads bytes that a thread writes.

        Raises:
            RaceError: One does.
        """
        _check_none(
            self.reading,
            places,
            "a thread writes shared memory that an unfinished asynchronous copy reads",
            self.reads,
        )

    def check_copy_read(self, places: np.ndarray) -> None:
        """Check that no unfinished copy writes bytes that another copy reads.

        Raises:
            RaceError: One does.
        """
        _check_none(
            self.writing,
            places,
            "an asynchronous copy reads shared memory that an unfinished one writes",
            self.writes,
        )

    def check_copy_write(self, places: np.ndarray) -> None:
        """Check that no unfinished copy accesses bytes that another copy writes.

        Raises:
            RaceError: One does.
        """
        message = "an asynchronous copy writes shared memory that an unfinished one"
        _check_none(self.writing, places, f"{message} writes", self.writes)
        _check_none(self.reading, places, f"{message} reads", self.reads)


def _check_none(
    accessing: NDArray[np.bool_], places: np.ndarray, message: str, trace: Trace
) -> None:
    """Check that no copy accesses bytes.

    Args:
        accessing: [byte]: whether an unfinished copy accesses it.
        places: Addresses of the bytes.
        message: Message of the error.
        trace: The instructions that issued the copies.

    Raises:
        RaceError: One does.
    """
    conflicts = accessing[places]
    if conflicts.any():
        raise trace.error(message, int(places[conflicts][0]))
