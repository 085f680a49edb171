"""AMD's copies between global memory and LDS, and the waits for them.

    global.load.lds and buffer loads to LDS    lane l of a warp writes to base + l · size
    global.load.async.to.lds                   every lane supplies its LDS address
    global.store.async.from.lds                the opposite direction

A wait counter of each warp counts the copies that it issued; a warp without an active lane issues
none. A wait for at most n outstanding copies completes all but the last n. A copy completes when
its warp waits for it and not earlier, and until then no thread may access what it writes, or write
what it reads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.memory.buffer import BUFFER_SIZE
from weft.simulator.registry import Call, intrinsic
from weft.simulator.warp.shuffles import first_active_lane
from weft.targets.wait_counters import wait_counters

__all__ = ["add_copy", "complete_copies"]

_KIND = "copy"


def add_copy(block: Block, kind: str, warp: int, complete: Callable[[], None]) -> None:
    """Add a copy to those that a warp has outstanding.

    Args:
        block: The block.
        kind: Kind of the wait counter.
        warp: The warp that issues the copy.
        complete: What completes it.
    """
    block.copies.amd.setdefault((kind, warp), []).append(complete)


def complete_copies(block: Block, kind: str, outstanding: int | None) -> None:
    """Complete copies of the active warps, oldest first.

    Args:
        block: The block.
        kind: Kind of the wait counter.
        outstanding: How many copies of each warp may remain; None for any number.
    """
    for warp in np.flatnonzero(block.active.reshape(-1, block.warp_size).any(axis=1)):
        queue = block.copies.amd.get((kind, int(warp)), [])
        count = 0 if outstanding is None else max(0, len(queue) - outstanding)
        for complete in queue[:count]:
            complete()
        del queue[:count]


def _add_copy_of_active_threads(
    block: Block,
    type_: Type,
    lds_addresses: np.ndarray,
    copy: Callable[[np.ndarray], None],
    *,
    reads_lds: bool = False,
) -> None:
    """Add a copy to those of each active warp.

    Args:
        block: The block.
        type_: What a thread copies.
        lds_addresses: Address in LDS per thread.
        copy: Completes the copy for a mask of threads.
        reads_lds: Whether the copy reads LDS, and does not write it.
    """
    issuing, issue, races = block.active.copy(), block.history.current, block.shared.races
    places = block.shared.check("copies", lds_addresses, type_.size, issuing)[:, None] + np.arange(
        type_.size
    )

    def complete(mask: np.ndarray) -> None:
        if races is not None:
            races.end_lds_copy(places[mask], reads_lds=reads_lds)
        with block.history.at_step(issue):
            copy(mask)

    if races is not None and issuing.any():
        races.begin_lds_copy(places[issuing], np.flatnonzero(issuing), reads_lds=reads_lds)
    for warp in np.flatnonzero(issuing.reshape(-1, block.warp_size).any(axis=1)):
        mask = np.zeros(block.threads, bool)
        lanes = slice(warp * block.warp_size, (warp + 1) * block.warp_size)
        mask[lanes] = issuing[lanes]
        add_copy(block, _KIND, int(warp), lambda mask=mask: complete(mask))


def _contiguous_targets(block: Block, base: np.ndarray, size: int) -> np.ndarray:
    """Compute the LDS address per lane: contiguous from the base of the warp's first lane."""
    lane = np.arange(block.threads) % block.warp_size
    return first_active_lane(block, base) + lane * size


@intrinsic(r"llvm\.amdgcn\.global\.load\.lds")
def _global_load(call: Call) -> Step:
    """Compile a load to LDS; its arguments are pointer, base, size, offset and cache bits."""
    pointer, base, size_operand, offset_operand, _ = call.arguments

    def step(block: Block) -> None:
        size, offset = int(block.get(size_operand)[0]), int(block.get(offset_operand)[0])
        source = block.per_thread(pointer) + offset
        target = _contiguous_targets(block, block.get(base), size) + offset
        type_ = Type("i8", size)
        block.shared.traffic.add("load.lds", size, block.active_warps)
        block.count_copy(size, source, target, block.active, block.active)

        def copy(mask: np.ndarray) -> None:
            block.shared.store(type_, target, block.global_memory.load(type_, source, mask), mask)

        _add_copy_of_active_threads(block, type_, target, copy)

    return step


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.load\.lds")
def _buffer_load(call: Call) -> Step:
    """Compile a buffer load to LDS; lanes with an offset outside of the buffer write zeros."""
    resource, base, size_operand, offset, scalar_offset, immediate_offset, _ = call.arguments

    def step(block: Block) -> None:
        size = int(block.get(size_operand)[0])
        offsets = block.per_thread(offset).astype(np.int64)
        inside = (offsets >= 0) & (offsets + size <= BUFFER_SIZE)
        unchecked = int(block.get(scalar_offset)[0]) + int(block.get(immediate_offset)[0])
        source = block.get(resource) + offsets + unchecked
        target = _contiguous_targets(block, block.get(base), size)
        type_ = Type("i8", size)
        block.shared.traffic.add("load.lds", size, block.active_warps)
        block.count_copy(size, source, target, block.active, inside)

        def copy(mask: np.ndarray) -> None:
            values = block.global_memory.load(type_, source, mask & inside)
            block.shared.store(type_, target, values, mask)

        _add_copy_of_active_threads(block, type_, target, copy)

    return step


@intrinsic(r"llvm\.amdgcn\.global\.(?:load\.async\.to|(store)\.async\.from)\.lds\.b(\d+)")
def _scattered_copy(call: Call) -> Step:
    """Compile a copy to or from LDS for which every lane supplies both addresses."""
    pointer, lds_pointer, _, _ = call.arguments
    is_store, size = call.match[1] is not None, int(call.match[2]) // 8
    type_ = Type("i8", size)

    def step(block: Block) -> None:
        addresses, lds_addresses = block.per_thread(pointer), block.per_thread(lds_pointer)
        kind = "store.lds" if is_store else "load.lds"
        block.shared.traffic.add(kind, size, block.active_warps)
        block.count_copy(size, addresses, lds_addresses, block.active, block.active)

        def copy(mask: np.ndarray) -> None:
            if is_store:
                values = block.shared.load(type_, lds_addresses, mask)
                block.global_memory.store(type_, addresses, values, mask)
            else:
                values = block.global_memory.load(type_, addresses, mask)
                block.shared.store(type_, lds_addresses, values, mask)

        _add_copy_of_active_threads(block, type_, lds_addresses, copy, reads_lds=is_store)

    return step


@intrinsic(r"llvm\.amdgcn\.(s\.waitcnt|s\.wait\.(?:asynccnt|dscnt))")
def _wait(call: Call) -> Step:
    """Compile a wait for copies, or for stores to LDS, by the counters in its argument."""

    def step(block: Block) -> None:
        argument = int(block.get(call.arguments[0])[0])
        for counter in wait_counters(block.launch.chip):
            if counter.intrinsic != call.match[1]:
                continue
            outstanding = sum((argument >> bit & 1) << n for n, bit in enumerate(counter.bits))
            if counter.kind in ("load", "copy"):
                # The maximum of a counter's field means no wait.
                limit = outstanding if outstanding < counter.max_count else None
                complete_copies(block, _KIND, limit)
            elif counter.kind == "shared" and not outstanding and block.shared.races is not None:
                block.shared.races.complete_stores(block.active)

    return step
