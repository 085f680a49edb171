"""The ways in which warps divide the result of a dot, with the same matrix instruction.

    128x128 by 8 warps, mma.sync         warpsPerCTA = [8, 1]   a warp reads 16 rows of A, all of B
                                         warpsPerCTA = [4, 2]   32 rows of A, half of B
                                         warpsPerCTA = [2, 4]   …

A dot adds the same products in the same order in each of them. The layouts of its operands follow
from that of its result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from weft.ir import tt, ttng, types
from weft.ir.builtin import Operation
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, Encoding, NvidiaMmaEncoding

__all__ = ["dot_layouts", "has_tilings", "tilings"]

_WARP_GROUP = 4
_HOPPER = 3  # the version of the layout of wgmma


def has_tilings(op: Operation) -> bool:
    """Check whether the layouts of a dot follow from that of its result."""
    if not isinstance(op, tt.DotOp | ttng.WarpGroupDotOp) or len(op.results) != 1:
        return False
    result = types.encoding(op.results[0].type)
    if not isinstance(result, NvidiaMmaEncoding | AmdMfmaEncoding) or result.cga_layout:
        return False
    if len(types.shape(op.results[0].type)) != 2:  # rows and columns
        return False
    tensors = [value.type for value in op.operands if types.is_tensor(value.type)]
    return all(_follows(types.encoding(tensor), result) for tensor in tensors)


def _follows(operand: Encoding | None, result: Encoding) -> bool:
    if isinstance(operand, DotOperandEncoding):
        return operand.parent is result
    return operand is result


def tilings(op: Operation) -> Iterator[Encoding]:
    """Yield the layouts of the result of a dot in which every warp has a different tile."""
    result = types.encoding(op.results[0].type)
    assert isinstance(result, NvidiaMmaEncoding | AmdMfmaEncoding)
    rows, columns = types.shape(op.results[0].type)
    m, n = result.instr_shape[:2]
    if isinstance(result, AmdMfmaEncoding) and result.tiles_per_warp:
        m, n = (size * tiles for size, tiles in zip((m, n), result.tiles_per_warp, strict=True))
    warps = result.warps_per_cta[0] * result.warps_per_cta[1]
    is_hopper = isinstance(result, NvidiaMmaEncoding) and result.version_major == _HOPPER
    across = 1
    while across <= warps:
        along = warps // across
        fits = along * m <= rows and across * n <= columns
        if fits and (not is_hopper or along % _WARP_GROUP == 0):
            yield replace(result, warps_per_cta=(along, across))
        across *= 2


def dot_layouts(
    op: Operation, result: Encoding
) -> tuple[tuple[Encoding, ...], tuple[Encoding, ...]] | None:
    """Compute the layouts of the operands and results of a dot from that of its result.

    Args:
        op: A dot with `has_tilings`.
        result: The layout of the result.

    Returns:
        None if the result is of another instruction.
    """
    own = types.encoding(op.results[0].type)
    if type(own) is not type(result) or not isinstance(result, NvidiaMmaEncoding | AmdMfmaEncoding):
        return None
    if replace(result, warps_per_cta=getattr(own, "warps_per_cta", ())) is not own:
        return None
    operands: list[Encoding] = []
    for value in op.operands:
        if types.is_tensor(value.type):
            encoding = types.encoding(value.type)
            is_operand = isinstance(encoding, DotOperandEncoding)
            operands.append(replace(encoding, parent=result) if is_operand else result)
    return tuple(operands), (result,)
