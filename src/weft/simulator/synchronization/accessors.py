"""The threads that accessed a byte: entries of arrays with one number per byte.

An entry is the number of a thread or one of the constants of this module.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.simulator.diagnostics import NO_STEP, History, RaceError

__all__ = [
    "ATOMICS",
    "NONE",
    "OTHER_BLOCK",
    "SEVERAL",
    "Trace",
    "add_readers",
    "check_same_thread",
]

NONE = -1  # no thread
SEVERAL = -2  # several threads; which ones is unknown
ATOMICS = -3  # atomic updates of any number of threads
OTHER_BLOCK = -4  # a thread of another block

_FIRST = {SEVERAL: "several threads", ATOMICS: "atomic updates"}
_SECOND = {SEVERAL: "a matrix instruction", OTHER_BLOCK: "another block"}


@dataclass(slots=True)
class Trace:
    """The instructions that accessed each byte last.

    Attributes:
        steps: [byte]: number of the instruction that accessed it last, or NO_STEP.
        history: The instructions, and the one that runs.
    """

    steps: np.ndarray
    history: History

    @classmethod
    def of(cls, size: int, history: History) -> Trace:
        """Create the trace of a number of bytes, without accesses."""
        return cls(np.full(size, NO_STEP, np.int32), history)

    def record(self, places: np.ndarray) -> None:
        """Record that the current instruction accesses bytes."""
        self.steps[places] = self.history.current

    def error(self, message: str, place: int) -> RaceError:
        """Create the error of a race with the last access to a byte."""
        return RaceError(
            message,
            self.history.at(self.history.current),
            self.history.at(int(self.steps[place])),
        )


def check_same_thread(
    verb: str,
    previous: np.ndarray,
    accessor: np.ndarray,
    past_verb: str,
    places: np.ndarray,
    trace: Trace,
) -> None:
    """Check that previous accesses to bytes are of the same thread.

    Args:
        verb: What the thread does now, for messages.
        previous: [thread, byte] entries of the previous accesses.
        accessor: [thread or 1, 1] numbers of the threads that access the bytes now.
        past_verb: What the previous access was, for messages.
        places: [thread, byte] addresses.
        trace: The instructions of the previous accesses, for messages.

    Raises:
        RaceError: One is of another thread.
    """
    is_race = (previous != NONE) & (previous != accessor)
    if is_race.any():
        row, column = (int(index[0]) for index in np.nonzero(is_race))
        first = int(previous[row, column])
        second = int(accessor[min(row, len(accessor) - 1), 0])  # one row may stand for all
        place = int(places[row, column])
        raise trace.error(
            f"{_SECOND.get(second, f'thread {second}')} {verb} byte {place} of shared memory that"
            f" {_FIRST.get(first, f'thread {first}')} {past_verb}, with no barrier between",
            place,
        )


def add_readers(reader: np.ndarray, places: np.ndarray, accessor: np.ndarray) -> None:
    """Record readers; a byte with another reader, before or now, has several."""
    previous = reader[places]
    reader[places] = np.where((previous == NONE) | (previous == accessor), accessor, SEVERAL)
    # If two threads read one byte now, the assignment stored the last of them; the others see a
    # number that is not theirs.
    stored = reader[places]
    reader[places[(stored != accessor) & (stored != SEVERAL)]] = SEVERAL
