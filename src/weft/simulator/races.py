"""Notice threads that touch the same bytes of shared memory with no barrier between them.

For every byte: which thread last wrote it and between which barriers, and the same of readers. A
read of a byte that another thread wrote since the last barrier is a race, and so is a write to one
that another thread read or wrote since then. Atomic updates race with reads and writes, not with
one another. Lock step hides races from the result; this does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.errors import CodegenError

__all__ = ["Races"]

_NOBODY, _SEVERAL, _UPDATES = -1, -2, -3
_NAMES = {_SEVERAL: "several threads", _UPDATES: "atomic updates"}


@dataclass(slots=True)
class Races:
    """Who touched each byte since the last barrier: a thread's number, nobody, or several."""

    writer: np.ndarray
    reader: np.ndarray

    @classmethod
    def of(cls, size: int) -> Races:
        """Return a memory that nobody has touched."""
        return cls(np.full(size, _NOBODY), np.full(size, _NOBODY))

    def barrier(self) -> None:
        """Forget: all threads have arrived."""
        self.writer[:] = _NOBODY
        self.reader[:] = _NOBODY

    def read(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads read bytes.

        Args: places: [thread, byte] addresses.  threads: their numbers.
        Raises: CodegenError: another thread wrote one of them since the last barrier.
        """
        who = threads[:, None]
        self._check("reads", self.writer[places], who, "wrote", places)
        _note(self.reader, places, who)

    def read_by_all(self, places: np.ndarray) -> None:
        """Note that hardware reads bytes for a group of threads: nobody may have just written.

        Raises: CodegenError: a thread wrote one of them since the last barrier.
        """
        self._check("reads", self.writer[places], np.full((1, 1), _SEVERAL), "wrote", places)
        self.reader[places] = _SEVERAL

    def write(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads write bytes; arguments and errors as of `read`."""
        who = threads[:, None]
        self._check("writes", self.writer[places], who, "wrote", places)
        self._check("writes", self.reader[places], who, "read", places)
        self.writer[places] = who

    def update(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note atomic updates, which do not race among each other; as of `read` otherwise."""
        who = threads[:, None]
        writer = self.writer[places]
        self._check("updates", np.where(writer == _UPDATES, who, writer), who, "wrote", places)
        self._check("updates", self.reader[places], who, "read", places)
        self.writer[places] = _UPDATES

    def _check(
        self, verb: str, found: np.ndarray, who: np.ndarray, past: str, places: np.ndarray
    ) -> None:
        wrong = (found != _NOBODY) & (found != who)
        if wrong.any():
            row, column = (int(index[0]) for index in np.nonzero(wrong))
            other = int(found[row, column])
            name = _NAMES.get(other, f"thread {other}")
            me = int(who[min(row, len(who) - 1), 0])
            subject = "a matrix instruction" if me == _SEVERAL else f"thread {me}"
            raise CodegenError(
                f"{subject} {verb} byte {int(places[row, column])} of shared memory"
                f" that {name} {past}, with no barrier between"
            )


def _note(memory: np.ndarray, places: np.ndarray, who: np.ndarray) -> None:
    """Note readers: where there was one already, or two read at once, there are several."""
    before = memory[places]
    memory[places] = np.where((before == _NOBODY) | (before == who), who, _SEVERAL)
    again = memory[places]
    memory[places[(again != who) & (again != _SEVERAL)]] = _SEVERAL
