"""Tiles per warp that let the scales of a block-scaled product be loaded in wide vectors.

A scaled 16x16x128 instruction takes one byte of scales from each lane. Kernels that store their
scales in the order in which lanes read them say so with tt.reshape and tt.trans behind the load. So
a layout of the scales is carried back through them to the load, for one tile in a warp and for
2 x 2: if these make more of what a lane holds neighbours in memory, they are taken.

    tt.load : 4x256   →  tt.reshape : 4x1x4x16x2x2x1  →  tt.trans  →  tt.reshape : 128x8
    lane 0 of 2 x 2 tiles reads scales 0, 1, 2 and 3 of a row: vectors of 4 bytes
"""

from __future__ import annotations

from weft.analysis.encodings import operand_encoding
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import Encoding, SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.layouts.inference import linear_encoding
from weft.layouts.scale_layouts import mfma_scale
from weft.layouts.vectorization import largest_vectorisation

__all__ = ["MARK", "best_tiles", "mark_source", "source_of_scale", "tiles_for_scales"]

MARK = "amdg.decomposed_dot_scaled_source"
_TILES = ((1, 1), (2, 2))
_SCALE_BITS = 8


def mark_source(scale: SSAValue) -> None:
    """Mark what makes a scale, so that the product that it ends in finds it."""
    maker = defining_op(scale)
    if maker is not None:
        maker.attributes[MARK] = attributes.boolean(True)


def source_of_scale(operand: SSAValue) -> SSAValue | None:
    """Return the marked scale that an operand is computed from, and take the mark off."""
    maker = defining_op(operand)
    stack = [] if maker is None else [maker]
    reached = set(stack)
    while stack:
        op = stack.pop()
        if MARK in op.attributes:
            del op.attributes[MARK]
            return op.results[0]
        for value in reversed(tuple(op.operands)):
            above = defining_op(value)
            if above is not None and above not in reached:
                reached.add(above)
                stack.append(above)
    return None


def tiles_for_scales(
    scales: tuple[SSAValue | None, SSAValue | None], side: int, warps: tuple[int, ...]
) -> tuple[int, int]:
    """Return the tiles per warp that both operands' scales are loaded best with.

    Args: scales: of a and b, None where there are none.  side: m of the instruction, as its n.
    warps: per dimension.
    """
    a, b = (best_tiles(scale, index, side, warps) for index, scale in enumerate(scales))
    if None in scales:
        return a if scales[1] is None else b
    return a[0], b[1]


def best_tiles(
    scale: SSAValue | None, index: int, side: int, warps: tuple[int, ...]
) -> tuple[int, int]:
    """Return the tiles per warp with which a lane loads most of one operand's scales at once."""
    best, most = (1, 1), 1
    if scale is None:
        return best
    shape = types.shape(scale.type)
    for tiles in _TILES:
        wanted = linear_encoding(mfma_scale(shape, index, side, tiles, warps))
        at_once = _vector_at_load(scale, wanted)
        if at_once > most:
            best, most = tiles, at_once
    return best


def _vector_at_load(scale: SSAValue, wanted: Encoding) -> int:
    """Return how many neighbours in memory a lane would load to have a scale in a layout."""
    op, layout = defining_op(scale), wanted
    while op is not None and not isinstance(op, tt.LoadOp):
        if not isinstance(op, ttg.ConvertLayoutOp):
            before = operand_encoding(op, layout) if len(op.operands) == 1 else None
            if before is None:
                return 1
            layout = before
        op = defining_op(op.operands[0])
    if op is None:
        return 1
    loaded = op.results[0].type
    given, shape = types.encoding(loaded), types.shape(loaded)
    assert given is not None
    order = dimension_order(given.linear(shape))
    plain = SwizzledSharedEncoding(1, 1, 1, order, cga_bases(given))
    moved = layout.linear(shape).invert_and_compose(plain.linear(shape)).flatten_outs()
    return largest_vectorisation(moved, _SCALE_BITS)[0]
