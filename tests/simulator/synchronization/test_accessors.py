"""Entries for the threads that accessed a byte."""

from __future__ import annotations

import numpy as np
import pytest

from weft.simulator.diagnostics import History, RaceError
from weft.simulator.synchronization.accessors import (
    ATOMICS,
    NONE,
    OTHER_BLOCK,
    SEVERAL,
    Trace,
    add_readers,
    check_same_thread,
)

TRACE = Trace.of(8, History())


def column(*threads: int) -> np.ndarray:
    return np.array(threads)[:, None]


def test_readers():
    reader = np.full(4, NONE)
    add_readers(reader, np.array([[0, 1], [1, 2]]), column(5, 6))
    assert reader.tolist() == [5, SEVERAL, 6, NONE]
    add_readers(reader, np.array([[0, 2]]), column(5))
    assert reader.tolist() == [5, SEVERAL, SEVERAL, NONE]


@pytest.mark.parametrize(
    ("previous", "accessor", "message"),
    [
        (3, 4, "thread 4 reads byte 7 of shared memory that thread 3 wrote"),
        (ATOMICS, 4, "thread 4 reads byte 7 of shared memory that atomic updates wrote"),
        (SEVERAL, 4, "that several threads wrote"),
        (3, SEVERAL, "a matrix instruction reads byte 7"),
        (3, OTHER_BLOCK, "another block reads byte 7"),
    ],
)
def test_accesses_of_different_threads(previous, accessor, message):
    places, before = np.array([[6, 7]]), np.array([[NONE, previous]])
    with pytest.raises(RaceError, match=message):
        check_same_thread("reads", before, column(accessor), "wrote", places, TRACE)


def test_accesses_of_one_thread():
    places, before = np.array([[6, 7]]), np.array([[NONE, 4]])
    check_same_thread("reads", before, column(4), "wrote", places, TRACE)
