"""Barriers of arrivals: phases, counts of arrivals and of bytes, and the copies that they wait for.

    init 1          phase 0, 1 arrival is missing
    expect_tx 8192  arrives, and 8192 bytes are missing
    a copy lands    8192 bytes fewer: nothing is missing, phase 1 begins
    try_wait 0      passes: the phase of parity 0 is over

A copy lands when a thread waits for its barrier, and not before, so that a missing wait is seen.
Source: PTX ISA 9.0, mbarrier.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.cp_async import take_copies
from weft.simulator.block import Block, NotYet, Operand, Step
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.barrier_state import Mbarrier
from weft.simulator.warp.lanes import require_whole_warps

__all__ = ["barrier_at", "guarded"]

_BYTES = np.arange(8)


def barrier_at(block: Block, address: int) -> Mbarrier:
    """Return the barrier at an address.

    Raises: CodegenError: none was made there.
    """
    found = block.mbarriers.get(address)
    if found is None:
        raise CodegenError(
            "no barrier was made at this byte of shared memory",
            found=address,
            accepted=list(block.mbarriers),
        )
    return found


def guarded(block: Block, guard: Operand, *operands: Operand) -> list[tuple[int, ...]]:
    """Return for each thread that a guard holds in: its number and its operands."""
    threads = np.flatnonzero(np.broadcast_to(block.get(guard), block.threads) & block.mask)
    rows = [np.broadcast_to(block.get(operand), block.threads)[threads] for operand in operands]
    return [tuple(int(x) for x in row) for row in zip(threads, *rows, strict=True)]


def _touch(block: Block, thread: int, address: int, kind: str) -> None:
    """Note that a thread reads or writes a barrier's bytes, in the order of the threads."""
    if block.shared.races is not None:
        who, places = np.array([thread]), (address + _BYTES)[None]
        getattr(block.shared.races, kind)(places, who)


@assembly(r"@\$0 mbarrier\.init\.shared::cta\.b64 \[\$1\], (\d+);")
def _init(call: Call) -> Step:
    count = int(call.match[1])

    def step(block: Block) -> None:
        for thread, address in guarded(block, *call.arguments):
            there = block.mbarriers.get(address)
            if there is not None and not there.untouched:
                raise CodegenError("a barrier is made where there is one", found=address)
            _touch(block, thread, address, "write_signal")
            block.mbarriers[address] = Mbarrier(count, count)

    return step


@assembly(r"@\$0 mbarrier\.inval\.shared::cta\.b64 \[\$1\];")
def _end(call: Call) -> Step:
    def step(block: Block) -> None:
        for thread, address in guarded(block, *call.arguments):
            if barrier_at(block, address).coming:
                raise CodegenError("a barrier ends before the copies that tell it", found=address)
            _touch(block, thread, address, "write_signal")
            del block.mbarriers[address]

    return step


@assembly(r"@\$0 mbarrier\.arrive(\.expect_tx)?\.shared::cta\.b64 _, \[\$1\], (\d+);")
def _arrive(call: Call) -> Step:
    expects, number = bool(call.match[1]), int(call.match[2])

    def step(block: Block) -> None:
        for thread, address in guarded(block, *call.arguments):
            barrier = barrier_at(block, address)
            _touch(block, thread, address, "signal")
            if block.shared.races is not None:
                known = {id(told) for told in barrier.known}
                every = block.shared.races.told
                barrier.known = [told for told in every if told[thread] or id(told) in known]
            barrier.bytes += number if expects else 0
            barrier.arrive(1 if expects else number)

    return step


@assembly(r"cp\.async\.mbarrier\.arrive(\.noinc)?\.shared::cta\.b64 \[\$0\];")
def _arrive_with_copies(call: Call) -> Step:
    """Let each thread's copies land when the barrier is waited for, and arrive then.

    Without `noinc` the phase counts one arrival more before, so that it is as it was.
    """
    counted = call.match[1] is not None

    def step(block: Block) -> None:
        (address,) = set(np.broadcast_to(block.get(call.arguments[0]), block.threads)[block.mask])
        barrier = barrier_at(block, int(address))
        copies = take_copies(block, 0)
        threads = int(block.mask.sum())

        def land() -> np.ndarray:
            written = [copy() for copy in copies]
            if counted:
                barrier.arrive(threads)
            if block.shared.races is None or not written:
                return np.zeros(block.threads, bool)
            places = np.concatenate([each.reshape(-1) for each in written])
            return block.shared.races.leave_to(places, block.threads)

        barrier.coming.append(land)

    return step


@assembly(
    r"\{ \.reg \.pred done; (@!\$2 bra\.uni over; )?again: mbarrier\.try_wait\.parity\.shared::cta"
    r"\.b64 done, \[\$0\], \$1; @!done bra\.uni again; (?:over: )?\}"
)
def _wait(call: Call) -> Step:
    """Return a wait; it raises NotYet, and does nothing, while a phase is not over."""
    address, parity = call.arguments[:2]
    condition = call.arguments[2] if call.match[1] else np.ones(1, bool)

    def step(block: Block) -> None:
        waiting = [
            (thread, place, wanted & 1)
            for thread, place, wanted in guarded(block, condition, address, parity)
        ]
        for place, wanted in sorted({(place, wanted) for _, place, wanted in waiting}):
            barrier = barrier_at(block, place)
            if barrier.phase % 2 == wanted:
                barrier.land()
            if barrier.phase % 2 == wanted:
                raise NotYet(
                    f"the barrier at byte {place}: {barrier.missing} arrivals and {barrier.bytes}"
                    " bytes are missing"
                )
        for thread, place, _ in waiting:
            _touch(block, thread, place, "read")
            barrier = block.mbarriers[place]
            for told in (*barrier.told, *barrier.known):
                told[thread] = True

    return step


@assembly(r"setmaxnreg\.(?:inc|dec)\.sync\.aligned\.u32 (\d+);")
def _registers(call: Call) -> Step:
    """Return a check that warps agree; registers themselves are not counted.

    Raises: CodegenError: a number of registers that no thread can have.
    """
    count = int(call.match[1])
    if count % 8 or not 24 <= count <= 256:
        raise CodegenError("a thread has from 24 to 256 registers, in eights", found=count)
    return lambda block: require_whole_warps(block, "setmaxnreg")


@assembly(r"fence\.mbarrier_init\.release\.cluster;")
def _fence(call: Call) -> Step:
    """Return nothing: a barrier is there for all as soon as it is made."""
    return lambda block: None
