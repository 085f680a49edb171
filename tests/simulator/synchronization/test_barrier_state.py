"""Phases of an mbarrier."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.synchronization.barrier_state import Mbarrier


def test_arrivals_complete_a_phase():
    barrier = Mbarrier(2, 2)
    assert barrier.is_unused
    barrier.arrive(1)
    assert (barrier.phase, barrier.pending_arrivals) == (0, 1)
    barrier.arrive(1)
    assert (barrier.phase, barrier.pending_arrivals) == (1, 2)


def test_bytes_complete_a_phase():
    barrier = Mbarrier(1, 1, pending_bytes=64)
    barrier.arrive(1)
    assert barrier.phase == 0

    def copy() -> np.ndarray:
        barrier.pending_bytes -= 64
        barrier.complete_phase()
        return np.ones(32, bool)

    barrier.copies.append(copy)
    barrier.complete_copies()
    assert barrier.phase == 1
    assert len(barrier.visible_to) == 1


def test_too_many_arrivals():
    with pytest.raises(CodegenError, match="more arrivals at a barrier than it expects"):
        Mbarrier(1, 1).arrive(2)
