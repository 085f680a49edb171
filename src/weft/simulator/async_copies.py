"""cp.async: copies that land when they are waited for, and not before.

A copy that nobody waits for never lands, so that a missing wait is seen in the result.
"""

from __future__ import annotations

import re

import numpy as np

from weft.simulator.state import Block, Operand, Step
from weft.simulator.types import Type

__all__ = ["COPY", "GROUP", "arrive", "commit", "copy_later"]

COPY = re.compile(r"^cp\.async\.c[ag]\.shared\.global \[\$0\], \[\$1\], (\d+), \$2;$")
GROUP = re.compile(r"^cp\.async\.(?:commit_group|wait_group (\d+));$")


def copy_later(size: int, operands: list[tuple[Operand, Type]]) -> Step:
    """Return a copy of `size` bytes as a step: operands are target, source, bytes to read."""
    bytes_ = Type("i8", size)

    def step(block: Block) -> None:
        target, source, wanted = (
            np.broadcast_to(block.get(value), block.threads) for value, _ in operands
        )
        mask = block.mask.copy()
        block.shared.traffic.add("cp.async", size, block.warps)

        def land() -> None:
            found = block.memory.load(bytes_, source, mask & (wanted > 0))
            block.shared.store(bytes_, target, found, mask)

        block.copies[-1].append(land)

    return step


def commit(block: Block) -> None:
    """Close the group of the copies that were started."""
    block.copies.append([])


def arrive(pending: int) -> Step:
    """Return a wait until at most so many groups are under way."""

    def step(block: Block) -> None:
        done = len(block.copies) - 1 - pending
        for group in block.copies[:done]:
            for land in group:
                land()
        del block.copies[: max(0, done)]

    return step
