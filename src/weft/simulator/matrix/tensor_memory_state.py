"""The state of tensor memory (TMEM): its words, accesses of warps, and unfinished instructions.

tcgen05.mma and tcgen05.cp are asynchronous: they execute, in issue order, when a thread waits on an
mbarrier at which a later tcgen05.commit arrives, so that a missing wait is noticed. One that
accesses words that other warps accessed since the last barrier is an error.
The instructions are in tensor_memory.py and tcgen05_*.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator.diagnostics import NO_STEP, History, RaceError
from weft.simulator.synchronization.accessors import OTHER_BLOCK

__all__ = ["COLUMNS", "TensorMemory"]

ROWS, COLUMNS = 128, 512
_UNINITIALIZED = 0xCDCDCDCD
_NONE = -1


@dataclass(slots=True)
class TensorMemory:
    """The tensor memory of a multiprocessor, of which one block has allocated columns.

    Attributes:
        words: [row, column].
        allocated: [column]: whether the block has allocated it.
        accessor: [row, column]: the warp that accessed the word last since the last barrier.
        writer: [row, column]: the warp that wrote the word last since the last barrier.
        unordered: [row, column]: whether a warp accessed the word since the block last arrived at
            the cluster barrier.
        queue: Unfinished operations, MMAs, copies and commits, by their numbers.
        issued: Number of operations issued so far.
        may_allocate: Whether the block has not relinquished its permit to allocate.
        cta_group: "1" if the block works alone, "2" if in a pair, "" before it allocates.
        history: The instructions of the kernel, and the one that runs.
        steps: [row, column]: number of the instruction of a warp that accessed the word last.
    """

    words: np.ndarray = field(
        default_factory=lambda: np.full((ROWS, COLUMNS), _UNINITIALIZED, np.uint32)
    )
    allocated: np.ndarray = field(default_factory=lambda: np.zeros(COLUMNS, bool))
    accessor: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), _NONE))
    writer: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), _NONE))
    unordered: np.ndarray = field(default_factory=lambda: np.zeros((ROWS, COLUMNS), bool))
    queue: dict[int, Callable[[], None]] = field(default_factory=dict)
    issued: int = 0
    may_allocate: bool = True
    cta_group: str = ""
    history: History = field(default_factory=History)
    steps: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), NO_STEP))

    def check_cta_group(self, cta_group: str) -> None:
        """Check that all tcgen05 instructions of the kernel have the same cta_group.

        Raises:
            CodegenError: This one has another.
        """
        if self.cta_group not in ("", cta_group):
            raise CodegenError(
                "all tcgen05 instructions of a kernel must have the same cta_group",
                found=f"cta_group::{cta_group}",
                accepted=[f"cta_group::{self.cta_group}"],
            )

    def barrier(self) -> None:
        """Forget accesses of warps: all threads have reached a barrier."""
        self.accessor[:] = _NONE
        self.writer[:] = _NONE

    def arrive_at_cluster_barrier(self) -> None:
        """Order the block's accesses before those of blocks that wait at the cluster barrier."""
        self.unordered[:] = False

    def issue(self, operation: Callable[[], None]) -> int:
        """Append an operation to the queue and return its number."""
        self.issued += 1
        self.queue[self.issued] = operation
        return self.issued

    def complete(self, last: int) -> None:
        """Execute the queued operations up to a number."""
        for number in [number for number in self.queue if number <= last]:
            self.queue.pop(number)()

    def check_allocated(self, rows: np.ndarray, columns: np.ndarray) -> None:
        """Check that the block has allocated words.

        Raises:
            CodegenError: It has not.
        """
        outside = (rows < 0) | (rows >= ROWS) | (columns < 0) | (columns >= COLUMNS)
        if outside.any() or not self.allocated[columns].all():
            raise CodegenError(
                "an access to tensor memory that the block has not allocated",
                found=f"column {int(columns.max())}",
                accepted=[f"columns from {np.flatnonzero(self.allocated).tolist()[:1]} on"],
            )

    def read(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Read words for an asynchronous operation.

        Raises:
            CodegenError: The block has not allocated them.
        """
        self.check_allocated(rows, columns)
        return self.words[rows, columns]

    def write(self, rows: np.ndarray, columns: np.ndarray, words: np.ndarray) -> None:
        """Write words for an asynchronous operation.

        Raises:
            CodegenError: The block has not allocated them.
        """
        self.check_allocated(rows, columns)
        self.words[rows, columns] = words

    def check_issue(
        self, rows: np.ndarray, columns: np.ndarray, warp: int, *, writes: bool
    ) -> None:
        """Check that an asynchronous operation does not race with accesses of warps.

        Args:
            rows: Rows of the words that it accesses.
            columns: Columns of the words.
            warp: The warp that issues it, or OTHER_BLOCK.
            writes: Whether it writes the words.

        Raises:
            CodegenError: Another warp accessed them since the last barrier.
        """
        self.check_allocated(rows, columns)
        previous = (self.accessor if writes else self.writer)[rows, columns]
        is_race = (previous != _NONE) & (previous != warp)
        if warp == OTHER_BLOCK:
            is_race &= self.unordered[rows, columns]
        if is_race.any():
            raise self._race(
                "a matrix instruction is issued on tensor memory that other warps accessed, with no"
                " barrier between",
                self.steps[rows, columns][is_race],
            )

    def access(
        self, rows: np.ndarray, columns: np.ndarray, warps: np.ndarray, *, writes: bool
    ) -> None:
        """Record that threads load or store words.

        Args:
            rows: Rows of the words.
            columns: Columns of the words.
            warps: Warp that accesses each word.
            writes: Whether the threads store.

        Raises:
            CodegenError: Another warp wrote them, or a store follows an access of another warp,
                since the last barrier.
        """
        self.check_allocated(rows, columns)
        previous = (self.accessor if writes else self.writer)[rows, columns]
        is_race = (previous != _NONE) & (previous != warps)
        if is_race.any():
            raise self._race(
                "warps access the same words of tensor memory with no barrier between",
                self.steps[rows, columns][is_race],
            )
        self.accessor[rows, columns] = warps
        self.steps[rows, columns] = self.history.current
        self.unordered[rows, columns] = True
        if writes:
            self.writer[rows, columns] = warps

    def _race(self, message: str, steps: np.ndarray) -> RaceError:
        """Create the error of a race with accesses by the instructions of some numbers."""
        history = self.history
        return RaceError(message, history.at(history.current), history.at(int(steps.flat[0])))
