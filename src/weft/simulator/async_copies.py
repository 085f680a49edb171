"""cp.async: copies that land when they are waited for, and not before.

A copy that nobody waits for never lands, so that a missing wait is seen in the result.
"""

from __future__ import annotations

import numpy as np

from weft.simulator.registry import Call, assembly
from weft.simulator.state import Block, Step
from weft.simulator.types import Type

__all__: list[str] = []


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

        def land() -> np.ndarray:
            places = target[mask][:, None] + each
            if block.shared.races is not None:
                block.shared.races.overwrite(places)
            reads = mask & (wanted > 0)
            found = block.memory.load(bytes_, source, reads, aligned=size)
            block.shared.store(bytes_, target, found, mask, aligned=size)
            return places

        block.copies[-1].append(land)

    return step


@assembly(r"cp\.async\.commit_group;")
def _commit(call: Call) -> Step:
    """Return the end of the group of the copies that were started."""
    return lambda block: block.copies.append([])


@assembly(r"cp\.async\.wait_group (\d+);")
def _arrive(call: Call) -> Step:
    """Return a wait until at most so many groups are under way."""
    pending = int(call.match[1])

    def step(block: Block) -> None:
        done = len(block.copies) - 1 - pending
        for group in block.copies[:done]:
            for land in group:
                land()
        del block.copies[: max(0, done)]

    return step
