"""Choose tilesPerWarp so that the scales of a tt.dot_scaled are loaded in wide vectors.

A scaled 16x16x128 instruction reads one byte of scales from each lane. Kernels that store their
scales in the order in which lanes read them apply tt.reshape and tt.trans after the load. The
layout of the scales is propagated backward through these operations to the load, for one tile per
warp and for 2 x 2 tiles. The tiles that give a lane the longest contiguous run in memory are
chosen.

    tt.load : 4x256   →  tt.reshape : 4x1x4x16x2x2x1  →  tt.trans  →  tt.reshape : 128x8
    lane 0 of 2 x 2 tiles reads scales 0, 1, 2 and 3 of a row: vectors of 4 bytes
"""

from __future__ import annotations

from weft.analysis.encoding_inference import operand_encoding
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import SSAValue
from weft.ir.rewriting import defining_op
from weft.layouts import Encoding, SwizzledSharedEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.layouts.inference import linear_encoding
from weft.layouts.scale_layouts import mfma_scale
from weft.layouts.vectorization import largest_vectorisation

__all__ = ["MARK", "best_tiles", "mark_source", "marked_scale", "tiles_for_scales"]

MARK = "amdg.decomposed_dot_scaled_source"
_TILES = ((1, 1), (2, 2))
_SCALE_BITS = 8


def mark_source(scale: SSAValue) -> None:
    """Mark the defining operation of a scale, so that the rule for the dot finds it."""
    producer = defining_op(scale)
    if producer is not None:
        producer.attributes[MARK] = attributes.boolean(True)


def marked_scale(operand: SSAValue) -> SSAValue | None:
    """Find the marked scale in the backward slice of an operand, and remove the mark."""
    producer = defining_op(operand)
    stack = [] if producer is None else [producer]
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
    """Choose the tiles per warp for the scales of both operands.

    Args:
        scales: the scales of a and b, or None.
        side: m and n of the instruction.
        warps: warps per dimension.
    """
    a, b = (best_tiles(scale, index, side, warps) for index, scale in enumerate(scales))
    if None in scales:
        return a if scales[1] is None else b
    return a[0], b[1]


def best_tiles(
    scale: SSAValue | None, index: int, side: int, warps: tuple[int, ...]
) -> tuple[int, int]:
    """Choose the tiles per warp with the widest load of one operand's scales."""
    best, most = (1, 1), 1
    if scale is None:
        return best
    shape = types.shape(scale.type)
    for tiles in _TILES:
        layout = linear_encoding(mfma_scale(shape, index, side, tiles, warps))
        at_once = _vector_at_load(scale, layout)
        if at_once > most:
            best, most = tiles, at_once
    return best


def _vector_at_load(scale: SSAValue, layout: Encoding) -> int:
    """Compute how many contiguous scales a lane loads if the scale has a given layout."""
    op, layout = defining_op(scale), layout
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
    encoding, shape = types.encoding(loaded), types.shape(loaded)
    assert encoding is not None
    order = dimension_order(encoding.linear(shape))
    plain = SwizzledSharedEncoding(1, 1, 1, order, cga_bases(encoding))
    to_memory = layout.linear(shape).invert_and_compose(plain.linear(shape)).flatten_outs()
    return largest_vectorisation(to_memory, _SCALE_BITS)[0]
