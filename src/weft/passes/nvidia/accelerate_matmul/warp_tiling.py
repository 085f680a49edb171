"""The instruction shape of a dot, and the warps per dimension of its result.

mma.sync, 128x64, 8 warps: 8 x 8 tiles of 16x8. Split the longer side between two warps, M if both
are equal, until all warps are used:

    tiles 8 x 8  →  4 x 8 (2 warps)  →  4 x 4 (4 warps)  →  2 x 4 (8 warps): warpsPerCTA = [4, 2]

A lane needs 4 registers of A per tile and 2 of B, so nearly square shares need the fewest
registers, and M is split first. If the dot is chained to another one in the same region, all warps
are along one dimension, so that rows stay in their warp from dot to dot.

wgmma: four warps compute 16 rows each, so shares grow by 64 rows, then along N.
"""

from __future__ import annotations

from weft.analysis.slices import connected_slice, forward_slice
from weft.ir import tt, ttng, types
from weft.ir.builtin import Operation
from weft.layouts import NvidiaMmaEncoding
from weft.targets.tensor_cores import MmaFamily

__all__ = ["choose_warps_per_cta", "instruction_shape"]

_DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)


def instruction_shape(
    family: MmaFamily, shape: tuple[int, ...], element: str, bits: int, warps: int
) -> tuple[int, ...]:
    """Choose the shape of an instruction: (…, m, n) for mma.sync, (m, n, k) for wgmma and tcgen05.

    Args:
        family: The instruction family.
        shape: The shape of the result per CTA.
        element: The name of the element type of A.
        bits: The bits of an element of A.
        warps: The warps that execute the dot.
    """
    if family.version == 2:
        return (*(1,) * (len(shape) - 2), family.m[0], family.n[0])
    k = family.k_bytes * 8 // bits
    rows, columns = shape
    if family.version == 5:
        m = next(m for m in family.m if m <= rows)
        return m, min(columns, family.n[0]), k
    m = family.m[0]
    warps_along_n = max(1, warps // max(1, rows // m))
    max_n = max(columns // warps_along_n, 8)
    sizes = family.n_of_i8 if element == "i8" and family.n_of_i8 else family.n
    # The selection of the instruction ensures that the smallest n, 8, divides the columns.
    return m, next(n for n in sizes if columns % n == 0 and n <= max_n), k


def choose_warps_per_cta(
    op: Operation, family: MmaFamily, shape: tuple[int, ...], tile: tuple[int, ...], warps: int
) -> tuple[tuple[int, ...], str]:
    """Choose the warps per dimension of the result.

    Args:
        op: The dot.
        family: Its instruction family.
        shape: The shape of the result per CTA.
        tile: The instruction shape.
        warps: The number of warps.

    Returns:
        The warps per dimension, and the rule that decided them.
    """
    if family.version == 3:
        return _choose_for_wgmma(op, shape, tile, warps)
    if len(shape) == 3:
        return (warps, 1, 1), "warps are distributed over the batch"
    chained = _chained_warps(op)
    if isinstance(chained, tuple):
        return chained, "as the dot that it is chained to"
    if chained:
        side = (warps, 1) if shape[0] >= shape[1] else (1, warps)
        return side, "chained dots: warps along the longer side only"
    return _balanced(shape, tile, warps), "the tiles of a warp are as square as possible"


def _chained_warps(op: Operation) -> tuple[int, ...] | bool:
    """Find the warps per dimension of a dot chained to this one.

    Returns:
        The warps if a chained dot has an MMA layout, else whether there is a chained dot.
    """
    region = op.parent_region()
    rank = len(types.shape(op.results[0].type))

    def keep(other: Operation) -> bool:
        return other.parent_region() is region and not isinstance(other, tt.TransOp)

    is_chained = False
    for other in connected_slice(op, keep=keep):
        if other is op or not isinstance(other, tt.DotOp | tt.DotScaledOp):
            continue
        type_ = other.results[0].type
        if len(types.shape(type_)) != rank:
            continue
        encoding = types.encoding(type_)
        if isinstance(encoding, NvidiaMmaEncoding):
            return encoding.warps_per_cta
        is_chained = True
    return is_chained


def _balanced(shape: tuple[int, ...], tile: tuple[int, ...], warps: int) -> tuple[int, int]:
    """Split the dimension with more tiles between two warps until all warps are used."""
    tiles = [-(-size // length) for size, length in zip(shape, tile, strict=True)]
    counts = [1, 1]
    # Halve the larger share each time; a dimension without tiles left is shared by copies.
    while counts[0] * counts[1] < warps:
        dim = 0 if tiles[0] >= tiles[1] else 1
        counts[dim] *= 2
        tiles[dim] = max(1, tiles[dim] // 2)
    return counts[0], counts[1]


def _choose_for_wgmma(
    op: Operation, shape: tuple[int, ...], tile: tuple[int, ...], warps: int
) -> tuple[tuple[int, ...], str]:
    if any(isinstance(other, _DOTS) for other in forward_slice(op.results[0])):
        return (warps, 1), "another dot uses the result: rows stay in their warp"
    along_m, along_n = 4, 1  # a warp group computes 64 rows of one instruction
    while along_m * along_n < warps:
        if shape[0] > tile[0] * along_m:
            along_m *= 2
        else:
            along_n *= 2
    return (along_m, along_n), "warp groups along M while it has rows, then along N"
