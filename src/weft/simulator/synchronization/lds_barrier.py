"""Barriers in LDS on gfx1250: 64 bits that arrivals decrement and threads poll.

    bits 0 to 28     arrivals that the phase still expects, minus 1
    bits 29 to 31    the phase, counting down; kernels look at its lowest bit
    bits 32 to 47    the initial value of bits 0 to 28 in each phase

    store i64 0x3_00000003                  initialize: 4 arrivals complete a phase
    ds.atomic.barrier.arrive.rtn.b64        every lane decrements, and gets the old value
    ds.atomic.async.barrier.arrive.b64      the same by 1, once the warp's copies are complete
    load volatile, s.sleep                  poll, and yield

Copies that arrive at a barrier complete, at the latest, when a thread polls it.
Source: AMD's CDNA5 ISA, LDS split barriers; the phase's position as in LLVM IR of Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.lds_copy import add_copy
from weft.simulator.block import Block, Step
from weft.simulator.diagnostics import DeadlockError, Wait
from weft.simulator.registry import Call, intrinsic
from weft.simulator.synchronization.barrier_state import LdsBarrier

__all__ = ["arrive", "expect_copy", "poll"]

_BYTES = np.arange(8)
_PHASE, _INITIAL, _UNUSED = 29, 32, 48  # first bits of the fields
_MAX_IDLE_POLLS = 300


def _barrier_at(block: Block, address: int) -> LdsBarrier:
    return block.lds_barriers.setdefault(address, LdsBarrier())


def expect_copy(
    block: Block, address: int, kind: str, warp: int, complete: Callable[[], None]
) -> None:
    """Record that a copy will arrive at a barrier.

    Args:
        block: The block.
        address: Address of the barrier.
        kind: Kind of the copy's wait counter.
        warp: The warp that issued it.
        complete: What completes it.
    """
    _barrier_at(block, address).copies.append((kind, warp, complete))


def arrive(
    block: Block,
    address: int,
    threads: np.ndarray,
    arrivals: int,
    visible: np.ndarray | None = None,
) -> int:
    """Let threads arrive.

    Args:
        block: The block.
        address: Address of the barrier.
        threads: Numbers of the threads.
        arrivals: Arrivals of each thread.
        visible: Which threads have synchronized with the copy that arrives, for waits to set.

    Returns:
        The value of the barrier before.

    Raises:
        CodegenError: There is no barrier, or more arrive than it expects.
    """
    old = int.from_bytes(block.shared.bytes[address + _BYTES].tobytes(), "little")
    if old >> _UNUSED or (old & (1 << _PHASE) - 1) > old >> _INITIAL:
        raise CodegenError(
            "no barrier was initialized at this byte of shared memory", found=address
        )
    if block.shared.races is not None:
        block.shared.races.access_lds_barrier(address + _BYTES[None], threads)
    value = old
    for _ in threads:
        pending, initial = value & (1 << _PHASE) - 1, value >> _INITIAL
        phase = value >> _PHASE & 7
        if arrivals > pending + 1:
            raise CodegenError(
                "more arrivals at a barrier than it expects",
                found=arrivals,
                accepted=[initial + 1],
            )
        pending -= arrivals
        if pending < 0:
            pending, phase = initial, phase - 1 & 7
        value = initial << _INITIAL | phase << _PHASE | pending
    block.shared.bytes[address + _BYTES] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)
    barrier = _barrier_at(block, address)
    barrier.arrivers.update(int(thread) for thread in threads)
    order = None if block.shared.races is None else block.shared.races.order
    if order is not None:
        for thread in threads.tolist():
            clock = order.release(thread)
            barrier.clock = clock if barrier.clock is None else np.maximum(clock, barrier.clock)
    if visible is not None:
        barrier.visible_to.append(visible)
    block.idle_polls = 0
    return old


def poll(block: Block, addresses: np.ndarray) -> None:
    """Complete the copies that arrive at the polled barriers, and synchronize with the arrivals.

    Args:
        block: The block, whose active threads poll.
        addresses: Address of the barrier per thread.
    """
    polled = np.broadcast_to(addresses, block.threads)
    for thread in np.flatnonzero(block.active).tolist():
        block.polls[thread // block.warp_size] = int(polled[thread]), block.history.current
    for address in np.unique(polled[block.active]).tolist():
        barrier = _barrier_at(block, address)
        for kind, warp, complete in barrier.copies:
            # Copies of a warp complete in order.
            queue = block.copies.amd.get((kind, warp), [])
            for each in queue[: queue.index(complete) + 1] if complete in queue else ():
                each()
                queue.remove(each)
        barrier.copies.clear()
        for visible in barrier.visible_to:
            visible[block.active] = True
        if block.shared.races is not None:
            block.shared.races.release(np.array(sorted(barrier.arrivers), int))
            if block.shared.races.order is not None:
                for thread in np.flatnonzero(block.active).tolist():
                    block.shared.races.order.acquire(thread, barrier.clock)


@intrinsic(r"llvm\.amdgcn\.ds\.atomic\.barrier\.arrive\.rtn\.b64")
def _arrive(call: Call) -> Step:
    """Compile an arrival of every active lane, one after the other."""
    pointer, count = call.arguments

    def step(block: Block) -> None:
        addresses = block.per_thread(pointer)
        arrivals = block.per_thread(count)
        old = np.zeros(block.threads, np.int64)
        for thread in np.flatnonzero(block.active):
            threads = np.array([thread])
            old[thread] = arrive(block, int(addresses[thread]), threads, int(arrivals[thread]))
        block.set(call.result, old)

    return step


@intrinsic(r"llvm\.amdgcn\.ds\.atomic\.async\.barrier\.arrive\.b64")
def _arrive_after_copies(call: Call) -> Step:
    """Compile an arrival of every active lane after the copies that its warp has issued."""
    (pointer,) = call.arguments

    def step(block: Block) -> None:
        addresses = block.per_thread(pointer)
        for warp in range(block.threads // block.warp_size):
            in_warp = np.arange(block.threads) // block.warp_size == warp
            threads = np.flatnonzero(block.active & in_warp)
            for address in np.unique(addresses[threads]).tolist():
                complete = _arrival(block, address, threads[addresses[threads] == address])
                add_copy(block, "copy", warp, complete)
                expect_copy(block, address, "copy", warp, complete)

    return step


def _arrival(block: Block, address: int, threads: np.ndarray) -> Callable[[], None]:
    def complete() -> None:
        arrive(block, address, threads, 1)

    return complete


@intrinsic(r"llvm\.amdgcn\.s\.sleep")
def _sleep(call: Call) -> Step:
    """Compile a sleep, during which other threads run.

    Raises (the step):
        DeadlockError: All threads have only slept and polled for a long time.
    """

    def step(block: Block) -> None:
        block.sleeping |= block.active
        block.idle_polls += 1
        if block.idle_polls > _MAX_IDLE_POLLS:
            raise DeadlockError(_polls(block))

    return step


def _polls(block: Block) -> Iterator[Wait]:
    """Describe the polls of barriers in LDS, one for the warps that poll together."""
    for address, step in sorted(set(block.polls.values())):
        value = int.from_bytes(block.shared.bytes[address + _BYTES].tobytes(), "little")
        pending = (value & (1 << _PHASE) - 1) + 1
        races = block.shared.races
        yield Wait(
            block.rank,
            tuple(warp for warp, poll in sorted(block.polls.items()) if poll == (address, step)),
            f"the barrier at byte {address}, which {pending} arrivals would complete",
            block.history.at(step),
            address,
            None if races is None else block.history.at(int(races.writes.steps[address])),
            pending,
        )
