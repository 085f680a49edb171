"""cp.async: copies that land when they are waited for, and not before.

A copy that nobody waits for never lands, so that a missing wait is seen in the result. Threads wait
for their own copies, a warp at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from weft.simulator.block import Block, Landing, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, assembly

__all__ = ["take_copies"]


@assembly(
    r"(?:@\$3 )?cp\.async\.(?:ca\.shared\.global \[\$0\], \[\$1\], (4|8)|"
    r"cg\.shared\.global \[\$0\], \[\$1\], (16)), \$2;"
)
def _copy_later(call: Call) -> Step:
    """Return a copy as a step: operands are target, source, bytes to read, who copies."""
    size = int(call.match[1] or call.match[2])
    bytes_, each = Type("i8", size), np.arange(size)

    def step(block: Block) -> None:
        target, source, wanted, *awake = (
            np.broadcast_to(block.get(value), block.threads) for value in call.arguments
        )
        mask = block.mask & awake[0] if awake else block.mask.copy()
        block.shared.traffic.add("cp.async", size, block.warps)

        def land(threads: np.ndarray) -> np.ndarray:
            lands = mask & threads
            places = target[lands][:, None] + each
            if block.shared.races is not None:
                block.shared.races.overwrite(places)
            found = block.memory.load(bytes_, source, lands & (wanted > 0), aligned=size)
            block.shared.store(bytes_, target, found, lands, aligned=size)
            return places

        for groups in _groups(block).values():
            groups[-1].append(land)

    return step


def _groups(block: Block) -> dict[int, list[list[Landing]]]:
    """Return the groups of copies of each warp that runs, by its number."""
    running = np.unique(np.flatnonzero(block.mask) // block.lanes).tolist()
    return {warp: block.copies.setdefault(warp, [[]]) for warp in running}


def take_copies(block: Block, kept: int) -> list[Callable[[], np.ndarray]]:
    """Take the copies of the warps that run out of their groups, but of so many last ones.

    Returns: what lands each; it returns the bytes that were written.
    """
    due: dict[Landing, np.ndarray] = {}
    for warp, groups in _groups(block).items():
        threads = np.arange(block.threads) // block.lanes == warp
        done = max(0, len(groups) - kept)
        for land in (one for group in groups[:done] for one in group):
            due[land] = due.get(land, threads) | threads
        del groups[:done]
        if not groups:
            groups.append([])
    return [partial(land, threads) for land, threads in due.items()]


@assembly(r"cp\.async\.commit_group;")
def _commit(call: Call) -> Step:
    """Return the end of the group of the copies that were started."""

    def step(block: Block) -> None:
        for groups in _groups(block).values():
            groups.append([])

    return step


@assembly(r"cp\.async\.wait_group (\d+);")
def _arrive(call: Call) -> Step:
    """Return a wait until at most so many groups are under way."""
    pending = int(call.match[1])

    def step(block: Block) -> None:
        for land in take_copies(block, pending + 1):
            land()

    return step
