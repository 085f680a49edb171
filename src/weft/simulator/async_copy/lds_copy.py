"""AMD's copies from global to shared memory: they land, at the latest, when they are waited for.

global.load.lds and buffer loads to LDS    lane l of a warp writes to base + l · size
global.load.async.to.lds                   every lane writes where it says
global.store.async.from.lds                the other way round

Each warp counts the instructions that it issued; a warp of which no lane takes part issues none. A
wait for at most n lets all but the last n of a warp land. What nobody waits for never lands, so
that a wait that is missing, or waits for too little, is seen in the result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.memory.buffer import RECORDS
from weft.simulator.registry import Call, intrinsic
from weft.simulator.warp.lanes import first_of_warps
from weft.targets.wait_counters import wait_counters

__all__ = ["land", "later"]

_KIND = "copy"


def later(block: Block, kind: str, warp: int, copy: Callable[[], None]) -> None:
    """Put a copy among those of a warp that are under way."""
    block.under_way.setdefault((kind, warp), []).append(copy)


def _later(block: Block, land: Callable[[np.ndarray], None]) -> None:
    """Put a copy among those under way of the warps that take part.

    Args: land: does the copy for the threads of a mask.
    """
    took = block.mask.copy()
    issued = took.reshape(-1, block.lanes).any(axis=1)
    for warp in np.flatnonzero(issued):
        threads = np.zeros(block.threads, bool)
        threads[warp * block.lanes : (warp + 1) * block.lanes] = True
        later(block, _KIND, int(warp), lambda threads=threads: land(took & threads))


@intrinsic(r"llvm\.amdgcn\.global\.load\.lds")
def _load_by_pointer(call: Call) -> Step:
    """Return a load to shared memory: operands are pointer, base, size, offset, caches."""
    pointer, base, size, offset, _ = call.arguments

    def step(block: Block) -> None:
        wide, moved = int(block.get(size)[0]), int(block.get(offset)[0])
        source = np.broadcast_to(block.get(pointer), block.threads) + moved
        lane = np.arange(block.threads) % block.lanes
        target = first_of_warps(block, block.get(base)) + moved + lane * wide
        bytes_ = Type("i8", wide)
        block.shared.traffic.add("load.lds", wide, block.warps)

        def land(mask: np.ndarray) -> None:
            block.shared.store(bytes_, target, block.memory.load(bytes_, source, mask), mask)

        _later(block, land)

    return step


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.load\.lds")
def _load_by_offset(call: Call) -> Step:
    """Return a buffer load to shared memory; zeros land where offsets are behind the end."""
    resource, base, size, offset, scalar, moved, _ = call.arguments

    def step(block: Block) -> None:
        wide = int(block.get(size)[0])
        place = np.broadcast_to(block.get(offset), block.threads).astype(np.int64)
        inside = (place >= 0) & (place + wide <= RECORDS)
        more = int(block.get(scalar)[0]) + int(block.get(moved)[0])
        source = block.get(resource) + place + more
        lane = np.arange(block.threads) % block.lanes
        target = first_of_warps(block, block.get(base)) + lane * wide
        bytes_ = Type("i8", wide)
        block.shared.traffic.add("load.lds", wide, block.warps)

        def land(mask: np.ndarray) -> None:
            found = block.memory.load(bytes_, source, mask & inside)
            block.shared.store(bytes_, target, found, mask)

        _later(block, land)

    return step


@intrinsic(r"llvm\.amdgcn\.global\.(?:load\.async\.to|(store)\.async\.from)\.lds\.b(\d+)")
def _copy_anywhere(call: Call) -> Step:
    """Return a copy, to shared memory or from it, of which every lane says where both ends are."""
    pointer, place, _, _ = call.arguments
    leaves, wide = call.match[1] is not None, int(call.match[2]) // 8
    bytes_ = Type("i8", wide)

    def step(block: Block) -> None:
        far, near = (np.broadcast_to(block.get(each), block.threads) for each in (pointer, place))
        block.shared.traffic.add("store.lds" if leaves else "load.lds", wide, block.warps)

        def land(mask: np.ndarray) -> None:
            if leaves:
                block.memory.store(bytes_, far, block.shared.load(bytes_, near, mask), mask)
            else:
                block.shared.store(bytes_, near, block.memory.load(bytes_, far, mask), mask)

        _later(block, land)

    return step


@intrinsic(r"llvm\.amdgcn\.(s\.waitcnt|s\.wait\.(?:asynccnt|dscnt))")
def _wait(call: Call) -> Step:
    """Return a wait for the copies, and stores, that are counted by a field of its argument."""

    def step(block: Block) -> None:
        told = int(block.get(call.arguments[0])[0])
        for row in wait_counters(block.chip):
            if row.intrinsic != call.match[1]:
                continue
            pending = sum((told >> bit & 1) << n for n, bit in enumerate(row.bits))
            if row.kind in ("load", "copy"):
                land(block, _KIND, pending if pending < row.max_count else None)
            elif row.kind == "shared" and not pending and block.shared.races is not None:
                block.shared.races.waited(block.mask)

    return step


def land(block: Block, kind: str, pending: int | None) -> None:
    """Let copies of the warps that run land, but for the last ones.

    Args: kind: by which counter.  pending: how many of each warp may be under way; None for any
          number.
    """
    running = block.mask.reshape(-1, block.lanes).any(axis=1)
    for warp in np.flatnonzero(running):
        waiting = block.under_way.get((kind, int(warp)), [])
        done = 0 if pending is None else max(0, len(waiting) - pending)
        for copy in waiting[:done]:
            copy()
        del waiting[:done]
