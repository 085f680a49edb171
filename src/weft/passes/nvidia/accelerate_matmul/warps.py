"""The tile of an instruction, and how the warps of a block share the result.

mma.sync, 128x64, 8 warps: 8 x 8 tiles of 16x8, the longer side is halved, M where both are equal:

    tiles 8 x 8  →  4 x 8 (2 warps)  →  4 x 4 (4 warps)  →  2 x 4 (8 warps): warpsPerCTA = [4, 2]

A lane holds 4 registers of A per tile and 2 of B, so near-square shares need the fewest registers,
and M goes first. Where another dot of the same block is computed from this one or gives to it,
warps go down one side only, so that rows stay with their warp from dot to dot.

wgmma: four warps stack 16 rows each, so shares grow by 64 rows, then along N.
"""

from __future__ import annotations

from weft.analysis.slices import connected_slice, forward_slice
from weft.ir import tt, ttng, types
from weft.ir.builtin import Operation
from weft.layouts import NvidiaMmaEncoding
from weft.targets.tensor_cores import MmaFamily

__all__ = ["instruction_shape", "warps_of"]

_DOTS = (tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)


def instruction_shape(
    family: MmaFamily, shape: tuple[int, ...], element: str, bits: int, warps: int
) -> tuple[int, ...]:
    """Return the tile that one instruction computes: with its k for version 3 and 5.

    Args: shape: of the result in one block.  element, bits: of A.
    """
    if family.version == 2:
        return (*(1,) * (len(shape) - 2), family.m[0], family.n[0])
    k = family.k_bytes * 8 // bits
    rows, columns = shape
    if family.version == 5:
        m = next(m for m in family.m if m <= rows)
        return m, min(columns, family.n[0]), k
    m = family.m[0]
    beside = max(1, warps // max(1, rows // m))
    widest = max(columns // beside, 8)
    lengths = family.n_of_i8 if element == "i8" and family.n_of_i8 else family.n
    # The choice of the family has seen to it that 8 columns, the least, divide them.
    return m, next(n for n in lengths if columns % n == 0 and n <= widest), k


def warps_of(
    op: Operation, family: MmaFamily, shape: tuple[int, ...], tile: tuple[int, ...], warps: int
) -> tuple[tuple[int, ...], str]:
    """Return the warps per dimension, and the rule that gave them.

    Args: op: the dot.  shape: of its result in one block.  tile: of one instruction.
    """
    if family.version == 3:
        return _of_warp_groups(op, shape, tile, warps)
    if len(shape) == 3:
        return (warps, 1, 1), "every warp takes matrices of the batch"
    chained = _chained(op)
    if isinstance(chained, tuple):
        return chained, "as the dot that it is chained to"
    if chained:
        side = (warps, 1) if shape[0] >= shape[1] else (1, warps)
        return side, "chained dots: warps down the longer side only"
    return _balanced(shape, tile, warps), "shares of the warps as square as can be"


def _chained(op: Operation) -> tuple[int, ...] | bool:
    """Return the warps of a dot connected to this one, or whether there is any without."""
    home = op.parent_region()
    rank = len(types.shape(op.results[0].type))

    def keep(other: Operation) -> bool:
        return other.parent_region() is home and not isinstance(other, tt.TransOp)

    found = False
    for other in connected_slice(op, keep=keep):
        if other is op or not isinstance(other, tt.DotOp | tt.DotScaledOp):
            continue
        type_ = other.results[0].type
        if len(types.shape(type_)) != rank:
            continue
        encoding = types.encoding(type_)
        if isinstance(encoding, NvidiaMmaEncoding):
            return encoding.warps_per_cta
        found = True
    return found


def _balanced(shape: tuple[int, ...], tile: tuple[int, ...], warps: int) -> tuple[int, int]:
    """Deal warps in twos to the side with more tiles left, to M where they are equal."""
    tiles = [-(-size // length) for size, length in zip(shape, tile, strict=True)]
    dealt = [1, 1]
    while dealt[0] * dealt[1] < warps:
        side = 0 if tiles[0] >= tiles[1] else 1
        dealt[side] *= 2
        tiles[side] = max(1, tiles[side] // 2)
    return dealt[0], dealt[1]


def _of_warp_groups(
    op: Operation, shape: tuple[int, ...], tile: tuple[int, ...], warps: int
) -> tuple[tuple[int, ...], str]:
    if any(isinstance(other, _DOTS) for other in forward_slice(op.results[0])):
        return (warps, 1), "another dot reads the result: rows stay with their warps"
    down, along = 4, 1
    while down * along < warps:
        if shape[0] > tile[0] * down:
            down *= 2
        else:
            along *= 2
    return (down, along), "warp groups go down M while rows are left, then along N"
