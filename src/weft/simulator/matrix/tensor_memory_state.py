"""What tensor memory holds while a block runs: words, who touched them, and what engines owe.

Products and copies are done when a thread waits for a barrier that they arrive on, in the order in
which they were issued, so that a missing wait is seen. A product that touches what threads of other
warps touched since the last barrier is an error.
Instructions on it are in tensor_memory.py, tensor_products.py and tensor_arrivals.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator.synchronization.races import ELSEWHERE

__all__ = ["COLUMNS", "Tensor"]

ROWS, COLUMNS = 128, 512
_GARBAGE = 0xCDCDCDCD
_NOBODY = -1


@dataclass(slots=True)
class Tensor:
    """The tensor memory of a multiprocessor, of which one block has columns.

    words: [row, column].  owned: the columns that are allocated.  toucher, writer: the warp that
    last touched a word since the last barrier, and that wrote it.  fresh: whether it was touched
    since the block last came to a barrier of its cluster.
    queue: what was issued and is not done: products, and arrivals, by their tickets.
    group: "1" where the block works alone, "2" where it does in a pair, "" before it allocates.
    """

    words: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), _GARBAGE, np.uint32))
    owned: np.ndarray = field(default_factory=lambda: np.zeros(COLUMNS, bool))
    toucher: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), _NOBODY))
    writer: np.ndarray = field(default_factory=lambda: np.full((ROWS, COLUMNS), _NOBODY))
    fresh: np.ndarray = field(default_factory=lambda: np.zeros((ROWS, COLUMNS), bool))
    queue: dict[int, Callable[[], None]] = field(default_factory=dict)
    issued: int = 0
    may_allocate: bool = True
    group: str = ""

    def require_group(self, found: str) -> None:
        """Raise CodegenError if instructions of a block and of pairs meet in a kernel."""
        if self.group not in ("", found):
            raise CodegenError(
                "all instructions of tcgen05 name the same group of blocks",
                found=f"cta_group::{found}",
                accepted=[f"cta_group::{self.group}"],
            )

    def barrier(self) -> None:
        """Forget who touched what: all threads have arrived."""
        self.toucher[:] = _NOBODY
        self.writer[:] = _NOBODY

    def meet(self) -> None:
        """Let other blocks know who touched what: the block has come to where they wait for it."""
        self.fresh[:] = False

    def issue(self, work: Callable[[], None]) -> int:
        """Put work at the end of the queue; return its ticket."""
        self.issued += 1
        self.queue[self.issued] = work
        return self.issued

    def finish(self, ticket: int) -> None:
        """Do everything that was issued up to a ticket."""
        for number in [number for number in self.queue if number <= ticket]:
            self.queue.pop(number)()

    def check(self, rows: np.ndarray, columns: np.ndarray) -> None:
        """Raise CodegenError if a place is not the block's."""
        outside = (rows < 0) | (rows >= ROWS) | (columns < 0) | (columns >= COLUMNS)
        if outside.any() or not self.owned[columns].all():
            raise CodegenError(
                "an access to tensor memory that the block has not allocated",
                found=f"column {int(columns.max())}",
                accepted=[f"columns {np.flatnonzero(self.owned).tolist()[:1]} on"],
            )

    def read(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return words for the tensor cores."""
        self.check(rows, columns)
        return self.words[rows, columns]

    def write(self, rows: np.ndarray, columns: np.ndarray, words: np.ndarray) -> None:
        """Write words for the tensor cores."""
        self.check(rows, columns)
        self.words[rows, columns] = words

    def claim(self, rows: np.ndarray, columns: np.ndarray, warp: int, *, writes: bool) -> None:
        """Note that a warp issues work on words.

        Args: warp: of the block, or ELSEWHERE.
        Raises: CodegenError: another warp touched them, with no barrier between.
        """
        self.check(rows, columns)
        found = (self.toucher if writes else self.writer)[rows, columns]
        wrong = (found != _NOBODY) & (found != warp)
        if warp == ELSEWHERE:
            wrong &= self.fresh[rows, columns]
        if wrong.any():
            raise CodegenError(
                "a matrix instruction is issued on tensor memory that other warps touched, with no"
                " barrier between"
            )

    def touch(
        self, rows: np.ndarray, columns: np.ndarray, warps: np.ndarray, *, writes: bool
    ) -> None:
        """Note that threads load or store words.

        Raises: CodegenError: another warp wrote them, with no barrier between.
        """
        self.check(rows, columns)
        found = (self.toucher if writes else self.writer)[rows, columns]
        if ((found != _NOBODY) & (found != warps)).any():
            raise CodegenError(
                "warps touch the same words of tensor memory with no barrier between"
            )
        self.toucher[rows, columns] = warps
        self.fresh[rows, columns] = True
        if writes:
            self.writer[rows, columns] = warps
