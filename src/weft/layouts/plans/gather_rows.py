"""Divide the rows of a TDM gather or scatter among its instructions.

An instruction copies rows that are contiguous in LDS. It reads their indices from scalar registers,
so one wave must hold them all. The layout of the indices says which rows those are:

    registers [1], [2], [4], lanes [8] …, warps 0     8 rows in the registers of each lane: lane 0
                                                      has rows 0 to 7, lane 1 rows 8 to 15, …
    lanes [1], [2], [4], …, warps 0                   rows 0 to 7 are the first register of lanes
    warps [1], [2]                                    one row at a time: a wave has no other

Source: AMD's CDNA5 ISA, tensor data mover.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout

__all__ = ["GATHER_ROWS", "GatherRows", "divide_rows"]

GATHER_ROWS = {16: 16, 32: 8}
"""How many rows one instruction copies at most, by the bits of an index."""


class GatherRows(Struct, frozen=True):
    """The division of rows among instructions.

    Attributes:
        together: Rows of an instruction.
        starts: First row of each instruction, without the warp's contribution.
        holders: (register, lane) of each row of each instruction.
        warps: Contribution of each bit of the warp to the row, combined by xor.
        idle: Bits of the warp that contribute nothing.
    """

    together: int
    starts: tuple[int, ...]
    holders: tuple[tuple[tuple[int, int], ...], ...]
    warps: tuple[int, ...]
    idle: int

    def of_instruction(self, number: int) -> list[int]:
        """List the rows that an instruction copies, in all warps."""
        starts = {self.starts[number]}
        for image in self.warps:
            starts |= {start ^ image for start in starts}
        return [start | row for start in sorted(starts) for row in range(self.together)]


@lru_cache(maxsize=1024)
def divide_rows(layout: LinearLayout, most: int) -> GatherRows:
    """Divide rows among instructions by the layout of their indices.

    Args:
        layout: Layout of the indices, of one dimension.
        most: Largest number of rows of an instruction.
    """
    registers, lanes, warps = (
        [image for (image,) in layout.bases.get(name, ())] for name in ("register", "lane", "warp")
    )
    bits = prod(layout.out_dims.values()).bit_length() - 1
    images = [*registers, *lanes]
    # An instruction copies 2^low consecutive rows, the first a multiple of 2^low: as many as
    # possible with all of their indices in one wave.
    low = 0
    while (
        2 << low <= most
        and low < bits
        and gf2.solve(images, [1 << low]) is not None
        and not any(image >> low & 1 for image in warps)
    ):
        low += 1
    mask = (1 << low) - 1
    starts = [0]
    for image in images:
        if image & ~mask not in starts:
            starts += [start ^ image & ~mask for start in starts]
    starts.sort()
    holders = tuple(
        tuple(
            (choice & (1 << len(registers)) - 1, choice >> len(registers))
            for choice in gf2.solve(images, [start | row for row in range(1 << low)]) or ()
        )
        for start in starts
    )
    idle = sum(1 << bit for bit, image in enumerate(warps) if not image)
    return GatherRows(1 << low, tuple(starts), holders, tuple(warps), idle)
