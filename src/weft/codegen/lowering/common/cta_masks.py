"""CTA masks of multicast copies and commits, and the part of a tile that a CTA holds.

CTAs that hold the same part of a buffer differ in the bits of their rank that step nowhere in it. A
mask of 16 bits has a bit for each of them:

    CGALayout = [[1, 0], [0, 0], [0, 0]]     bits 1 and 2: of CTA 3, CTAs 1, 3, 5 and 7
    0b01010101 << (rank & 0b001)             the mask, in any of the eight CTAs
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from xdsl.ir import SSAValue

from weft.codegen.lowering.common.context import LoweringContext
from weft.lowering_plans.memdesc import memdesc_of, memory_layout

__all__ = ["multicast_mask", "cta_mask", "replica_cta_bits", "cta_tile_start"]


def replica_cta_bits(view: SSAValue) -> int:
    """Compute the bits of the CTA rank in which CTAs with the same part of a buffer differ."""
    return memory_layout(memdesc_of(view)).free_variable_masks().get("block", 0)


def cta_tile_start(ctx: LoweringContext, view: SSAValue) -> list[str]:
    """Compute the coordinates at which this CTA's part of a tile begins, i32 each."""
    layout, rank = memory_layout(memdesc_of(view)), len(memdesc_of(view).shape)
    places = [layout.unpack(image)[-rank:] for image in layout.images("block")]
    return [
        ctx.threads.apply_bases("block", [place[dim] for place in places]) for dim in range(rank)
    ]


def cta_mask(ctx: LoweringContext, masks: Iterable[int]) -> str:
    """Compute a mask of CTAs whose ranks differ from this one's only in the bits of one of `masks`.

    Returns:
        A bit per CTA, an i32.
    """
    w, words = ctx.writer, []
    every = range(1 << ctx.threads.ids["block"][1])
    for mask in sorted(set(masks)):
        pattern = sum(1 << number for number in every if not number & ~mask)
        first = ctx.threads.with_bits("block", mask, 0)
        words.append(str(pattern) if first == "0" else w.value(f"shl i32 {pattern}, {first}"))
    return reduce(lambda a, b: w.value(f"or i32 {a}, {b}"), words)


def multicast_mask(ctx: LoweringContext, masks: Iterable[int]) -> str:
    """Compute `cta_mask` as an i16."""
    word = cta_mask(ctx, masks)
    return word if word.isdigit() else ctx.writer.value(f"trunc i32 {word} to i16")
