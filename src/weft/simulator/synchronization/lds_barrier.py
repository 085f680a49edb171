"""Barriers of arrivals of gfx1250: 64 bits in LDS, which arrivals count down and threads look at.

    bits 0 to 28     arrivals that the phase still waits for, less 1
    bits 29 to 31    the phase, of which kernels look at the lowest bit
    bits 32 to 47    what a new phase begins with

    store i64 0x3_00000003                  4 arrivals make a phase
    ds.atomic.barrier.arrive.rtn.b64        every lane takes away a number, gets what was there
    ds.atomic.async.barrier.arrive.b64      the same of 1, once the warp's copies are done
    load volatile, s.sleep                  look, and let others go on

Copies that tell a barrier land, at the latest, when somebody looks at it.
Source: AMD's CDNA5 ISA, LDS split barriers; Triton 3.7.1, its LLVM IR, for where the phase stands.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.lds_copy import later
from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, intrinsic
from weft.simulator.synchronization.barrier_state import Expected

__all__ = ["arrive", "expect", "look"]

_BYTES = np.arange(8)
_PHASE, _RELOAD, _UNUSED = 29, 32, 48
_LOOKS = 300  # of all threads, in which nothing happens


def _of(block: Block, address: int) -> Expected:
    return block.expected.setdefault(address, Expected())


def expect(block: Block, address: int, kind: str, warp: int, copy: Callable[[], None]) -> None:
    """Note that a copy of a warp, which is under way, will arrive at a barrier."""
    _of(block, address).coming.append((kind, warp, copy))


def arrive(
    block: Block, address: int, threads: np.ndarray, times: int, told: np.ndarray | None = None
) -> int:
    """Count down for threads; return the bits that the first of them found.

    Args: told: who knows of what has arrived.
    Raises: CodegenError: no barrier was made there, or more arrive than it counts.
    """
    found = _bits(block, address)
    if found >> _UNUSED or (found & (1 << _PHASE) - 1) > found >> _RELOAD:
        raise CodegenError("no barrier was made at this byte of shared memory", found=address)
    if block.shared.races is not None:
        block.shared.races.touch_signal(address + _BYTES[None], threads)
    bits = found
    for _ in threads:
        pending, reload = bits & (1 << _PHASE) - 1, bits >> _RELOAD
        phase = bits >> _PHASE & 7
        if times > pending + 1:
            raise CodegenError(
                "more threads arrive at a barrier than it counts",
                found=times,
                accepted=[reload + 1],
            )
        pending -= times
        if pending < 0:
            pending, phase = reload, phase - 1 & 7
        bits = reload << _RELOAD | phase << _PHASE | pending
    block.shared.bytes[address + _BYTES] = np.frombuffer(bits.to_bytes(8, "little"), np.uint8)
    expected = _of(block, address)
    expected.arrivers.update(int(thread) for thread in threads)
    if told is not None:
        expected.told.append(told)
    block.idle = 0
    return found


def _bits(block: Block, address: int) -> int:
    return int.from_bytes(block.shared.bytes[address + _BYTES].tobytes(), "little")


def look(block: Block, addresses: np.ndarray) -> None:
    """Let what is to arrive at the barriers that threads look at do so, and tell the threads."""
    for address in np.unique(np.broadcast_to(addresses, block.threads)[block.mask]).tolist():
        expected = _of(block, address)
        for kind, warp, copy in expected.coming:
            queue = block.under_way.get((kind, warp), [])
            for each in queue[: queue.index(copy) + 1] if copy in queue else ():
                each()
                queue.remove(each)
        expected.coming.clear()
        for told in expected.told:
            told[block.mask] = True
        if block.shared.races is not None:
            block.shared.races.told_of(np.array(sorted(expected.arrivers), int))


@intrinsic(r"llvm\.amdgcn\.ds\.atomic\.barrier\.arrive\.rtn\.b64")
def _arrive(call: Call) -> Step:
    """Return arrivals of every lane that runs, one after the other."""
    pointer, number = call.arguments

    def step(block: Block) -> None:
        threads = np.flatnonzero(block.mask)
        places = np.broadcast_to(block.get(pointer), block.threads)
        times = np.broadcast_to(block.get(number), block.threads)
        found = np.zeros(block.threads, np.int64)
        for thread in threads:
            one = np.array([thread])
            found[thread] = arrive(block, int(places[thread]), one, int(times[thread]))
        block.set(call.result, found)

    return step


@intrinsic(r"llvm\.amdgcn\.ds\.atomic\.async\.barrier\.arrive\.b64")
def _arrive_behind_copies(call: Call) -> Step:
    """Return arrivals of every lane that runs, behind the copies that its warp has issued."""
    (pointer,) = call.arguments

    def step(block: Block) -> None:
        places = np.broadcast_to(block.get(pointer), block.threads)
        for warp in range(block.threads // block.lanes):
            inside = np.arange(block.threads) // block.lanes == warp
            threads = np.flatnonzero(block.mask & inside)
            for address in np.unique(places[threads]).tolist():
                mine = threads[places[threads] == address]
                end = _ending(block, address, mine)
                later(block, "copy", warp, end)
                expect(block, address, "copy", warp, end)

    return step


def _ending(block: Block, address: int, threads: np.ndarray) -> Callable[[], None]:
    def end() -> None:
        arrive(block, address, threads, 1)

    return end


@intrinsic(r"llvm\.amdgcn\.s\.sleep")
def _sleep(call: Call) -> Step:
    """Return a rest, during which threads that are elsewhere go on.

    Raises (the step): CodegenError: all threads only rest and look.
    """

    def step(block: Block) -> None:
        block.resting |= block.mask
        block.idle += 1
        if block.idle > _LOOKS:
            raise CodegenError(
                "threads wait for ever",
                found=f"barriers at {sorted(block.expected)}" if block.expected else "s_sleep",
            )

    return step
