"""The two sides of a trip through shared memory, seen from one block.

A side is what its registers, lanes and warps hold, as packed vectors of the tensor. Shared memory
belongs to a block, so what the target wants is split in what the source's own block holds and in
the block that holds it:

    target vector = sum of the source's registers, lanes, warps  ^  sum of the source's blocks
                    `local`                                         `homes`
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout

__all__ = ["ThreadBases", "store_and_load_bases"]

INNER = ("register", "lane", "warp")


@dataclass(frozen=True, slots=True)
class ThreadBases:
    """Hold the local vectors of one side.

    Fields: kind: "write" or "read".  registers, lanes, warps, blocks: local vectors per bit.
    homes: the block that holds each, in the order of registers, lanes, warps, blocks.
    """

    kind: str
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]
    blocks: tuple[int, ...]
    homes: tuple[int, ...]

    @property
    def held(self) -> tuple[int, ...]:
        """Return the vectors that one block reaches."""
        return (*self.registers, *self.lanes, *self.warps)

    @property
    def vectors(self) -> tuple[int, ...]:
        """Return the registers that may lie side by side: those of the block's own memory."""
        homes = self.homes[: len(self.registers)]
        return tuple(v for v, home in zip(self.registers, homes, strict=True) if v and not home)

    @property
    def stays(self) -> bool:
        """Return whether every block finds all that it wants in its own memory."""
        inner = self.homes[: len(self.held)]
        own = tuple(1 << bit for bit in range(len(self.blocks)))
        return not any(inner) and self.homes[len(inner) :] == own


def store_and_load_bases(
    source: LinearLayout, target: LinearLayout
) -> tuple[ThreadBases, ThreadBases]:
    """Return what is written and what is read; layouts without registers that repeat."""
    blocks = source.images("block")
    own = tuple(1 << bit for bit in range(len(blocks)))
    registers, lanes, warps = (source.images(name) for name in INNER)
    nowhere = (0,) * (len(registers) + len(lanes) + len(warps))
    write = ThreadBases("write", registers, lanes, warps, (0,) * len(blocks), nowhere + own)
    outer = [image for name in INNER for image in target.images(name)]
    moved = [a ^ b for a, b in zip(target.images("block"), blocks, strict=True)]
    if gf2.solve(write.held, [*outer, *moved]) is not None:
        local, homes = [*outer, *moved], [0] * len(outer) + list(own)
    else:
        wanted = [*outer, *target.images("block")]
        choices = gf2.solve([*write.held, *blocks], wanted)
        assert choices is not None
        homes = [choice >> len(write.held) for choice in choices]
        local = [v ^ _sum(blocks, home) for v, home in zip(wanted, homes, strict=True)]
    cuts = [len(target.images(name)) for name in INNER]
    ends = [0, cuts[0], cuts[0] + cuts[1], len(outer), len(local)]
    parts = [tuple(local[a:b]) for a, b in itertools.pairwise(ends)]
    return write, ThreadBases("read", parts[0], parts[1], parts[2], parts[3], tuple(homes))


def _sum(vectors: tuple[int, ...], choice: int) -> int:
    out = 0
    for bit, vector in enumerate(vectors):
        out ^= vector if choice >> bit & 1 else 0
    return out
