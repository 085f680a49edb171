"""Order of accesses between the blocks of a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.synchronization.cluster_order import ClusterOrder

PLACES = np.array([8])


def blocks() -> tuple[ClusterOrder, ClusterOrder]:
    return ClusterOrder.of(16), ClusterOrder.of(16)


def barrier(*orders: ClusterOrder, releases: bool = True) -> None:
    for order in orders:
        order.arrive(releases=releases)
    for order in orders:
        order.complete_wait(np.ones(1, bool))


def test_a_read_after_the_barrier():
    writer, reader = blocks()
    writer.write(PLACES)
    barrier(writer, reader)
    writer.read_by(PLACES, reader)


def test_a_read_before_the_barrier():
    writer, reader = blocks()
    writer.write(PLACES)
    with pytest.raises(CodegenError, match="that another block writes"):
        writer.read_by(PLACES, reader)


def test_a_write_before_the_reader_has_arrived():
    writer, reader = blocks()
    writer.write(PLACES)
    barrier(writer, reader)
    writer.read_by(PLACES, reader)
    with pytest.raises(CodegenError, match="that another block reads"):
        writer.write(PLACES)
    barrier(writer, reader)
    writer.write(PLACES)


def test_a_relaxed_arrival_does_not_release_writes():
    writer, reader = blocks()
    writer.write(PLACES)
    barrier(writer, reader, releases=False)
    with pytest.raises(CodegenError, match="that another block writes"):
        writer.read_by(PLACES, reader)
