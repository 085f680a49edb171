"""Notice threads that touch the same bytes of shared memory with no barrier between them.

For every byte: which thread last wrote it and between which barriers, and the same of readers. A
read of a byte that another thread wrote since the last barrier is a race, and so is a write to one
that another thread read or wrote since then. Atomic updates race with reads and writes, not with
one another. Lock step hides races from the result; this does not.

The copy engine is told apart: what it is writing nobody may touch, what it is reading nobody may
write, what it has written may be read by threads that waited for it, and what threads wrote is
there for it behind their fence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weft.errors import CodegenError
from weft.simulator.synchronization.cluster_order import Meetings

__all__ = ["ELSEWHERE", "Races"]

_NOBODY, _SEVERAL, _UPDATES = -1, -2, -3
ELSEWHERE = -4  # a thread of another block
_WARP = 64  # no warp has more threads
_NAMES = {_SEVERAL: "several threads", _UPDATES: "atomic updates"}
_SUBJECTS = {_SEVERAL: "a matrix instruction", ELSEWHERE: "another block"}


@dataclass(slots=True)
class Races:
    """Who touched each byte since the last barrier: a thread's number, nobody, or several.

    arriving, leaving: whether the copy engine is writing or reading it.  unfenced: who wrote it
    and has not told the engine.  landed: number of the copy that wrote it; told: who knows of it.
    meetings: with the other blocks of the cluster, None where there are none.
    multiplied: how many products read it that nobody has waited for.
    late: threads that have not waited for their stores; only on chips that count them.
    """

    writer: np.ndarray
    reader: np.ndarray
    arriving: np.ndarray
    leaving: np.ndarray
    unfenced: np.ndarray
    landed: np.ndarray
    multiplied: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    late: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    told: list[np.ndarray] = field(default_factory=list)
    meetings: Meetings | None = None

    @classmethod
    def of(cls, size: int) -> Races:
        """Return a memory that nobody has touched."""
        nobody = (np.full(size, _NOBODY) for _ in range(4))
        writer, reader, unfenced, landed = nobody
        flags = np.zeros(size, bool), np.zeros(size, bool)
        return cls(writer, reader, *flags, unfenced, landed, np.zeros(size, np.int32))

    def barrier(self, threads: np.ndarray) -> None:
        """Forget what threads did, who have arrived; what some of them know, all of them do.

        Threads whose stores may not be done yet have arrived too early.
        """
        if self.late.any():
            threads = threads & ~self.late
        if not threads.all():
            for told in self.told:
                told[threads] |= told[threads].any()
            for touched in (self.writer, self.reader):
                mine = (touched < _NOBODY) & (threads.sum() > _WARP)
                mine |= (touched >= 0) & threads[np.maximum(touched, 0)]
                touched[mine] = _NOBODY
            return
        self.writer[:] = _NOBODY
        self.reader[:] = _NOBODY
        self.landed[:] = _NOBODY
        self.told.clear()

    def issue(self, mask: np.ndarray) -> None:
        """Note that the stores of threads are not done before `waited` says so."""
        self.late = self.late | mask if self.late.size else mask.copy()

    def waited(self, mask: np.ndarray) -> None:
        """Note that threads have waited for their stores."""
        if self.late.size:
            self.late &= ~mask

    def fence(self, mask: np.ndarray) -> None:
        """Note that the threads of a mask tell the copy engine what they wrote, or know of."""
        every = np.array([told[mask].all() for told in self.told] + [True])
        knows = (self.writer == _NOBODY) & every[self.landed]
        told = (self.unfenced != _NOBODY) & (mask[self.unfenced] | knows)
        self.unfenced[told] = _NOBODY

    def begin_arriving(self, places: np.ndarray, thread: int, *, fences: bool = True) -> None:
        """Note that the copy engine begins to write bytes for a thread.

        Args: fences: whether threads must have told the engine what they wrote.
        Raises: CodegenError: somebody touched one of them since the last barrier, or wrote it and
                did not tell the engine; or the engine is at it already.
        """
        who = np.full((1, 1), thread)
        self._engine_begins("write", places)
        self._check("copies to", self.writer[places], who, "wrote", places)
        self._check("copies to", self.reader[places], who, "read", places)
        if fences:
            self._require_fence(places)
        self._require_multiplied(places, "the copy engine")
        if self.leaving[places].any():
            raise CodegenError("the copy engine writes what it is still reading")
        if self.meetings is not None:
            self.meetings.write(places)
        self.arriving[places] = True

    def begin_leaving(self, places: np.ndarray, thread: int, *, fences: bool = True) -> None:
        """Note that the copy engine begins to read bytes for a thread; all else as above."""
        who = np.full((1, 1), thread)
        self._engine_begins("read", places)
        self._check("copies", self.writer[places], who, "wrote", places)
        if fences:
            self._require_fence(places)
        self._require_told(places, np.array([thread]))
        self.leaving[places] = True

    def begin_product(self, places: np.ndarray) -> None:
        """Note that a product reads bytes until somebody waits for it; places: each once.

        Raises: CodegenError: a thread wrote one of them, and did not tell the tensor cores.
        """
        self._require_fence(places, "the tensor cores are to read")
        self.multiplied[places] += 1

    def end_product(self, places: np.ndarray) -> None:
        """Note that a product is done, which `begin_product` was told of."""
        self.multiplied[places] -= 1

    def _require_multiplied(self, places: np.ndarray, who: str) -> None:
        if self.multiplied[places].any():
            raise CodegenError(f"{who} writes what a product is still reading")

    def _engine_begins(self, verb: str, places: np.ndarray) -> None:
        if self.arriving[places].any():
            raise CodegenError(f"the copy engine is to {verb} what it is still writing")

    def _require_fence(self, places: np.ndarray, what: str = "the copy engine is to touch") -> None:
        if (self.unfenced[places] != _NOBODY).any():
            raise CodegenError(f"a thread wrote what {what}, with no fence between")

    def arrived(self, places: np.ndarray, threads: int) -> np.ndarray:
        """Note that the copy engine has written bytes; return who knows, which waits add to."""
        self.arriving[places] = False
        self.landed[places] = len(self.told)
        self.told.append(np.zeros(threads, bool))
        return self.told[-1]

    def leave_to(self, places: np.ndarray, threads: int) -> np.ndarray:
        """Note that threads' own copies have landed; return who knows, which waits add to."""
        self.writer[places] = _NOBODY
        return self.arrived(places, threads)

    def overwrite(self, places: np.ndarray) -> None:
        """Forget who knows of copies where others land, which their readers have asked for."""
        self.landed[places] = _NOBODY

    def left(self, places: np.ndarray, thread: int) -> None:
        """Note that the copy engine has read bytes, as a thread knows."""
        self.leaving[places] = False
        _note(self.reader, places, np.full((1, 1), thread))

    def signal(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads arrive at a barrier, where others may not still be waiting."""
        self._check("signals", self.reader[places], threads[:, None], "read", places)

    def touch_signal(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads arrive at a barrier, or look at it, which others may do meanwhile."""
        self._check("signals", self.writer[places], threads[:, None], "wrote", places)

    def told_of(self, threads: np.ndarray) -> None:
        """Forget what threads did before they arrived at a barrier that others have looked at."""
        for touched in (self.writer, self.reader):
            touched[np.isin(touched, threads)] = _NOBODY
        if len(threads):
            self.reader[self.reader == _SEVERAL] = _NOBODY

    def write_signal(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads make or end a barrier, which the engine need not be told of."""
        before = self.unfenced[places]
        self.write(places, threads)
        self.unfenced[places] = before

    def _require_told(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Refuse to touch what the copy engine is writing, or has written unknown to a thread."""
        if self.arriving[places].any():
            raise CodegenError(
                "a thread touches what the copy engine is writing, and did not wait for it"
            )
        landed = self.landed[places]
        for number in np.unique(landed):
            if number == _NOBODY:
                continue
            if len(threads) == len(places):
                who = np.broadcast_to(threads[:, None], places.shape)[landed == number]
            else:
                who = threads
            if not self.told[number][who].all():
                raise CodegenError(
                    "a thread touches what the copy engine wrote, and did not wait for it"
                )

    def read(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads read bytes.

        Args: places: [thread, byte] addresses.  threads: their numbers.
        Raises: CodegenError: another thread wrote one of them since the last barrier.
        """
        who = threads[:, None]
        self._require_told(places, threads)
        self._check("reads", self.writer[places], who, "wrote", places)
        _note(self.reader, places, who)

    def read_by_block(self, places: np.ndarray, reader: Meetings) -> None:
        """Note that another block of the cluster reads bytes; errors as of `Meetings.read_by`."""
        assert self.meetings is not None
        self.meetings.read_by(places, reader)

    def read_by_all(self, places: np.ndarray, threads: np.ndarray | None = None) -> None:
        """Note that hardware reads bytes for a group of threads: nobody may have just written.

        Args: threads: their numbers, None for all of the block.
        Raises: CodegenError: a thread wrote one of them since the last barrier.
        """
        self._check("reads", self.writer[places], np.full((1, 1), _SEVERAL), "wrote", places)
        if threads is None:
            threads = np.arange(len(self.told[0]) if self.told else 1)
        self._require_told(places, threads)
        self.reader[places] = _SEVERAL

    def read_by_warp(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that lanes of a warp read the same bytes together, as the first of them.

        Args: places: [1, byte] addresses.
        Raises: CodegenError: one of them does not know of what was written there.
        """
        self._require_told(places, threads)
        every = np.broadcast_to(places, (len(threads), places.shape[1]))
        self._check("reads", self.writer[every], threads[:, None], "wrote", every)
        _note(self.reader, places, threads[:1, None])

    def read_by_engine(
        self, places: np.ndarray, thread: int, reader: Meetings | None = None
    ) -> None:
        """Note that a thread has hardware read bytes later: nobody else may have just written.

        Args: reader: the block whose thread it is, if it is another one's.
        Raises: CodegenError: another thread wrote one of them since the last barrier.
        """
        found = self.writer[places]
        if reader is not None and self.meetings is not None:
            told = self.meetings.written[places] < reader.waited
            found = np.where(told, _NOBODY, found)
        self._check("reads", found, np.full((1, 1), thread), "wrote", places)
        if reader is None:
            self._require_told(places, np.array([thread]))
        self._require_fence(places, "the tensor cores are to read")

    def write(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note that threads write bytes; arguments and errors as of `read`."""
        who = threads[:, None]
        self._require_told(places, threads)
        self._require_multiplied(places, "a thread")
        if self.leaving[places].any():
            raise CodegenError("a thread writes what the copy engine is still reading")
        self._check("writes", self.writer[places], who, "wrote", places)
        self._check("writes", self.reader[places], who, "read", places)
        if self.meetings is not None:
            self.meetings.write(places)
        self.writer[places] = who
        self.unfenced[places] = who

    def require_agreed(self, places: np.ndarray, threads: np.ndarray, kept: np.ndarray) -> None:
        """Refuse that threads write other values to one byte at once.

        Args: places, threads: as of `read`.  kept: for each byte, whether what the thread wrote
              is what lies there in the end.
        Raises: CodegenError: two threads wrote, and one of them in vain.
        """
        if not kept.all():
            row, column = (int(index[0]) for index in np.nonzero(~kept))
            place = int(places[row, column])
            raise CodegenError(
                f"thread {int(threads[row])} and thread {int(self.writer[place])} write other"
                f" values to byte {place} of shared memory at once"
            )

    def update(self, places: np.ndarray, threads: np.ndarray) -> None:
        """Note atomic updates, which do not race among each other; as of `read` otherwise."""
        who = threads[:, None]
        self._require_told(places, threads)
        writer = self.writer[places]
        self._check("updates", np.where(writer == _UPDATES, who, writer), who, "wrote", places)
        self._check("updates", self.reader[places], who, "read", places)
        if self.meetings is not None:
            self.meetings.write(places)
        self.writer[places] = _UPDATES
        self.unfenced[places] = who

    def _check(
        self, verb: str, found: np.ndarray, who: np.ndarray, past: str, places: np.ndarray
    ) -> None:
        wrong = (found != _NOBODY) & (found != who)
        if wrong.any():
            row, column = (int(index[0]) for index in np.nonzero(wrong))
            other = int(found[row, column])
            name = _NAMES.get(other, f"thread {other}")
            me = int(who[min(row, len(who) - 1), 0])
            subject = _SUBJECTS.get(me, f"thread {me}")
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
