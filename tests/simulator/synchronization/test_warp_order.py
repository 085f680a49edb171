"""Order of accesses of warps by barriers, arrivals and waits."""

from __future__ import annotations

import numpy as np
import pytest

from weft.simulator.diagnostics import History, RaceError
from weft.simulator.synchronization.accessors import Trace
from weft.simulator.synchronization.warp_order import WarpOrder

PLACES = np.arange(4)
FIRST, SECOND, THIRD = (np.array([warp * 32]) for warp in range(3))
WARPS = 3


def new_order() -> WarpOrder:
    history = History()
    return WarpOrder.of(8, 32 * WARPS, 32, Trace.of(8, history), Trace.of(8, history))


def mask(*warps: int) -> np.ndarray:
    return np.isin(np.arange(32 * WARPS) // 32, warps)


def access(order: WarpOrder, kind: str, thread: np.ndarray) -> None:
    if kind == "read":
        order.read(PLACES, thread)
    else:
        order.write(PLACES, thread, is_copy=kind == "copy")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("write", "read", "warp 1 reads byte 0 of shared memory that warp 0 writes"),
        ("write", "write", "warp 1 writes byte 0 of shared memory that warp 0 writes"),
        ("write", "copy", "warp 1 copies to byte 0 of shared memory that warp 0 writes"),
        ("read", "write", "warp 1 writes byte 0 of shared memory that warp 0 reads"),
        ("read", "copy", "warp 1 copies to byte 0 of shared memory that warp 0 reads"),
    ],
)
def test_accesses_of_two_warps(first, second, message):
    order = new_order()
    access(order, first, FIRST)
    access(order, second, FIRST)  # a warp's own accesses are in order
    order = new_order()
    access(order, first, FIRST)
    with pytest.raises(RaceError, match=f"{message}, and neither waits for the other"):
        access(order, second, SECOND)
    order = new_order()
    access(order, first, FIRST)
    order.barrier(mask(0, 1))
    access(order, second, SECOND)


def test_two_reads_and_the_accesses_after_a_copy():
    order = new_order()
    access(order, "read", FIRST)
    access(order, "read", SECOND)
    with pytest.raises(RaceError, match="that warp 0 reads"):
        access(order, "write", SECOND)
    order.barrier(mask(0, 1))
    access(order, "copy", SECOND)
    access(order, "read", THIRD)  # whether the copy is complete is checked elsewhere


def test_a_barrier_of_some_warps_does_not_order_others():
    order = new_order()
    access(order, "read", FIRST)
    order.barrier(mask(0, 1))
    with pytest.raises(RaceError, match="warp 2 copies to byte 0"):
        access(order, "copy", THIRD)


def test_accesses_after_a_barrier_are_not_before_it():
    order = new_order()
    order.barrier(mask(0, 1))
    access(order, "read", FIRST)
    with pytest.raises(RaceError, match="warp 1 writes"):
        access(order, "write", SECOND)


def test_a_wait_observes_what_was_before_the_arrival():
    order = new_order()
    access(order, "read", FIRST)
    clock = order.release(0)
    order.acquire(64, clock)
    access(order, "copy", THIRD)
    access(order, "read", FIRST)  # after the arrival
    with pytest.raises(RaceError, match="warp 2 copies"):
        access(order, "copy", THIRD)
    order.acquire(64, None)
    with pytest.raises(RaceError, match="warp 2 copies"):
        access(order, "copy", THIRD)


def test_the_cluster_barrier_orders_warps_that_wait_apart():
    order = new_order()
    access(order, "read", FIRST)
    order.arrive_at_cluster_barrier(mask(0))
    order.arrive_at_cluster_barrier(mask(1, 2))
    with pytest.raises(RaceError, match="warp 1 writes"):
        access(order, "write", SECOND)
    order.wait_for_cluster_barrier(mask(1))
    access(order, "write", SECOND)
    with pytest.raises(RaceError, match="warp 2 reads"):
        access(order, "read", THIRD)


def test_waits_are_transitive():
    order = new_order()
    access(order, "write", FIRST)
    order.acquire(32, order.release(0))
    order.acquire(64, order.release(32))
    access(order, "read", THIRD)


def test_the_last_write_counts():
    order = new_order()
    access(order, "write", FIRST)
    order.barrier(mask(0, 1, 2))
    access(order, "write", SECOND)
    with pytest.raises(RaceError, match="that warp 1 writes"):
        access(order, "read", THIRD)


def test_reads_of_the_tensor_core_end_with_a_commit():
    order = new_order()
    order.read_by_tensor_core(PLACES, 0, 3)
    clock = order.release(0)
    for instructions, is_race in ((2, True), (4, False)):
        order.acquire(32, order.release_of_tensor_core(instructions, clock))
        if is_race:
            with pytest.raises(RaceError, match=r"warp 1 copies .* that the tensor core reads"):
                access(order, "copy", SECOND)
        else:
            access(order, "copy", SECOND)
    order = new_order()
    access(order, "write", FIRST)
    with pytest.raises(RaceError, match="warp 1 reads byte 0"):
        order.read_by_tensor_core(PLACES, 32, 1)


def test_each_thread_accesses_its_own_bytes():
    order = new_order()
    threads = np.array([0, 1, 32, 33])
    order.write(np.arange(8).reshape(4, 2), threads)
    order.read(np.arange(8).reshape(4, 2), threads)
    with pytest.raises(RaceError, match=r"warp 0 reads byte 6 .* warp 1 writes"):
        order.read(np.arange(8).reshape(4, 2)[::-1], threads[::-1] ^ 32)
