"""mbarriers: phases, and the arrivals and bytes that complete them.

    init 1          phase 0 expects 1 arrival
    expect_tx 8192  the arrival; 8192 bytes are pending
    complete_tx     a copy completes 8192 bytes: phase 0 is complete, phase 1 starts
    try_wait 0      passes: the phase of parity 0 is complete

A copy completes when a thread waits on its mbarrier and not earlier, so that a missing wait is
noticed.
Source: PTX ISA 9.0, mbarrier.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.simulator.async_copy.cp_async import take_copies
from weft.simulator.block import Block, NotReady, Step
from weft.simulator.llvm_ir.types import Operand
from weft.simulator.registry import Call, assembly
from weft.simulator.synchronization.barrier_state import Mbarrier
from weft.simulator.synchronization.races import Races

__all__ = ["mbarrier_at", "predicated_rows"]

_BYTES = np.arange(8)


def mbarrier_at(block: Block, address: int) -> Mbarrier:
    """Find the mbarrier at an address.

    Raises:
        CodegenError: There is none.
    """
    barrier = block.mbarriers.get(address)
    if barrier is None:
        raise CodegenError(
            "no barrier was initialized at this byte of shared memory",
            found=address,
            accepted=list(block.mbarriers),
        )
    return barrier


def predicated_rows(block: Block, predicate: Operand, *operands: Operand) -> list[tuple[int, ...]]:
    """List, for each active thread whose predicate holds, its number and its operands."""
    threads = np.flatnonzero(block.per_thread(predicate) & block.active)
    rows = [block.per_thread(operand)[threads] for operand in operands]
    return [tuple(int(x) for x in row) for row in zip(threads, *rows, strict=True)]


def _record_access(
    block: Block,
    access: Callable[[Races, np.ndarray, np.ndarray], None],
    thread: int,
    address: int,
) -> None:
    """Record a thread's access to the bytes of an mbarrier, by a method of Races."""
    if block.shared.races is not None:
        access(block.shared.races, (address + _BYTES)[None], np.array([thread]))


@assembly(r"@\$0 mbarrier\.init\.shared::cta\.b64 \[\$1\], (\d+);")
def _init(call: Call) -> Step:
    count = int(call.match[1])

    def step(block: Block) -> None:
        for thread, address in predicated_rows(block, *call.arguments):
            existing = block.mbarriers.get(address)
            if existing is not None and not existing.is_unused:
                raise CodegenError("a barrier is initialized while it is in use", found=address)
            _record_access(block, Races.write_mbarrier, thread, address)
            block.mbarriers[address] = Mbarrier(count, count, step=block.history.current)

    return step


@assembly(r"@\$0 mbarrier\.inval\.shared::cta\.b64 \[\$1\];")
def _invalidate(call: Call) -> Step:
    def step(block: Block) -> None:
        for thread, address in predicated_rows(block, *call.arguments):
            if mbarrier_at(block, address).copies:
                raise CodegenError(
                    "a barrier is invalidated before the copies that complete on it", found=address
                )
            _record_access(block, Races.write_mbarrier, thread, address)
            del block.mbarriers[address]

    return step


@assembly(r"@\$0 mbarrier\.arrive(\.expect_tx)?\.shared::cta\.b64 _, \[\$1\], (\d+);")
def _arrive(call: Call) -> Step:
    expects_bytes, number = bool(call.match[1]), int(call.match[2])

    def step(block: Block) -> None:
        for thread, address in predicated_rows(block, *call.arguments):
            barrier = mbarrier_at(block, address)
            _record_access(block, Races.arrive_at_mbarrier, thread, address)
            if block.shared.races is not None:
                # Threads that wait on this barrier synchronize with every copy that the arriving
                # thread has synchronized with.
                known = {id(each) for each in barrier.earlier_copies}
                barrier.earlier_copies = [
                    each
                    for each in block.shared.races.copies.visible_to
                    if each[thread] or id(each) in known
                ]
                if block.shared.races.order is not None:
                    barrier.observe(block.shared.races.order.release(thread))
            barrier.pending_bytes += number if expects_bytes else 0
            barrier.arrive(1 if expects_bytes else number)

    return step


@assembly(r"cp\.async\.mbarrier\.arrive(\.noinc)?\.shared::cta\.b64 \[\$0\];")
def _arrive_after_cp_async(call: Call) -> Step:
    """Compile an arrival of each thread once its earlier cp.async copies are complete.

    Without `noinc` the instruction increments the pending count first, so that its arrival leaves
    the count unchanged.
    """
    is_counted = call.match[1] is not None

    def step(block: Block) -> None:
        (address,) = set(block.per_thread(call.arguments[0])[block.active])
        barrier = mbarrier_at(block, int(address))
        copies = take_copies(block, 0)
        threads = int(block.active.sum())

        def complete() -> np.ndarray:
            writes = [copy() for copy in copies]
            if is_counted:
                barrier.arrive(threads)
            if block.shared.races is None or not writes:
                return np.zeros(block.threads, bool)
            places = np.concatenate([each.reshape(-1) for each in writes])
            return block.shared.races.end_cp_async(places, block.threads)

        barrier.copies.append(complete)

    return step


@assembly(
    r"\{ \.reg \.pred done; (@!\$2 bra\.uni over; )?again: mbarrier\.try_wait\.parity\.shared::cta"
    r"\.b64 done, \[\$0\], \$1; @!done bra\.uni again; (?:over: )?\}"
)
def _wait(call: Call) -> Step:
    """Compile a wait, which raises NotReady until the phase is complete."""
    address, parity = call.arguments[:2]
    predicate = call.arguments[2] if call.match[1] else np.ones(1, bool)

    def step(block: Block) -> None:
        waits = [
            (thread, place, phase & 1)
            for thread, place, phase in predicated_rows(block, predicate, address, parity)
        ]
        for place, phase in sorted({(place, phase) for _, place, phase in waits}):
            barrier = mbarrier_at(block, place)
            if barrier.phase % 2 == phase:
                barrier.complete_copies()
            if barrier.phase % 2 == phase:
                raise NotReady(
                    f"phase {barrier.phase} of the mbarrier at byte {place}:"
                    f" {barrier.pending_arrivals} arrivals and {barrier.pending_bytes} bytes are"
                    " pending",
                    place,
                    barrier,
                )
        for thread, place, _ in waits:
            _record_access(block, Races.read, thread, place)
            barrier = block.mbarriers[place]
            if block.shared.races is not None and block.shared.races.order is not None:
                block.shared.races.order.acquire(thread, barrier.phase_clock)
            for visible in (*barrier.visible_to, *barrier.earlier_copies):
                visible[thread] = True

    return step
