"""Plan copies of tiles between global and shared memory, by TMA and TDM.

TMA, 128x128 f16, swizzled by 128 bytes, 4 warps    2 boxes: warps 0 and 1 copy one each
TMA gather of 32 rows, indices over 4 warps         8 rows per warp, 2 copies of 4 rows each
TDM gather of 32 rows, 32-bit indices in each warp  4 copies of 8 rows, each by one of the warps
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from xdsl.ir import Attribute, Operation

from weft.errors import CodegenError
from weft.ir import amdg, ttg, ttng, types
from weft.layouts import LinearLayout
from weft.layouts.plans.gather_rows import GATHER_ROWS, GatherRows, divide_rows
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.registers import layout_of, register_offsets
from weft.lowering_plans.tma_boxes import box_shape, tma_boxes

__all__ = ["rows_of_instructions", "tile_copy_instruction", "tma_row_groups"]

_SECTOR_BYTES = 32
_TMA_ROWS = 4  # PTX ISA, cp.async.bulk.tensor: .tile::gather4, .tile::scatter4
_Tiles = ttng.AsyncTMACopyGlobalToLocalOp | ttng.AsyncTMACopyLocalToGlobalOp | ttng.AsyncTMAReduceOp
_TmaRows = ttng.AsyncTMAGatherOp | ttng.AsyncTMAScatterOp
_TdmTiles = amdg.AsyncTDMCopyGlobalToLocalOp | amdg.AsyncTDMCopyLocalToGlobalOp
_TdmRows = amdg.AsyncTDMGatherOp | amdg.AsyncTDMScatterOp
_TmaLoads = ttng.AsyncTMACopyGlobalToLocalOp | ttng.AsyncTMAGatherOp
_TdmLoads = amdg.AsyncTDMCopyGlobalToLocalOp | amdg.AsyncTDMGatherOp


def tile_copy_instruction(op: Operation, num_warps: int) -> Instruction:
    """Count the copies of an operation of TMA or TDM.

    Args:
        op: The operation.
        num_warps: Warps of a CTA.

    Raises:
        CodegenError: No copy places the data as the layouts of the operation say.
    """
    assert isinstance(op, _Tiles | _TmaRows | _TdmTiles | _TdmRows), f"{op.name} copies no tile"
    view = _buffer(op)
    if isinstance(op, _Tiles):
        boxes = len(tma_boxes(view))
        warps = 1 << min(num_warps.bit_length() - 1, boxes.bit_length() - 1)
        return _copies(op, boxes // warps, warps, _sectors(view))
    if isinstance(op, _TdmTiles):
        return _copies(op, 1, num_warps, _sectors(view))
    if isinstance(op, _TmaRows):
        layout = layout_of(op.x_offsets.type)
        count = len(tma_row_groups(layout)) * len(range(0, view.shape[1], box_shape(view)[-1]))
        idle = layout.free_variable_masks()["warp"]
    else:
        rows = rows_of_instructions(op.operands[1].type)
        count, idle = len(rows.starts), rows.idle
    # Of the warps that hold the same indices one copies.
    return _copies(op, count, num_warps >> idle.bit_count(), _row_sectors(view))


def _buffer(op: _Tiles | _TmaRows | _TdmTiles | _TdmRows) -> ttg.MemDescType:
    """Get the type of the buffer in shared memory."""
    if isinstance(op, _TmaLoads | amdg.AsyncTDMCopyGlobalToLocalOp):
        return memdesc_of(op.result)
    return memdesc_of(op.dst if isinstance(op, amdg.AsyncTDMGatherOp) else op.src)


def _copies(op: Operation, count: int, warps: int, sectors: int) -> Instruction:
    loads = isinstance(op, _TmaLoads | _TdmLoads)
    return Instruction(
        "tile copy",
        0,
        count,
        warps,
        sectors=sectors,
        ideal_sectors=sectors,
        distinct_sectors=sectors,
        name="load" if loads else "store",
    )


def _sectors(view: ttg.MemDescType) -> int:
    """Count the sectors that hold the bytes of a tile."""
    bytes_ = types.storage_bytes(view.element_type) * prod(view.shape)
    return -(-bytes_ // _SECTOR_BYTES)


def _row_sectors(view: ttg.MemDescType) -> int:
    """Count the sectors of rows that are anywhere, if each starts at a sector."""
    rows, columns = view.shape
    return rows * -(-types.storage_bytes(view.element_type) * columns // _SECTOR_BYTES)


@lru_cache(maxsize=1024)
def tma_row_groups(layout: LinearLayout) -> tuple[tuple[int, ...], ...]:
    """List the registers of each run of four consecutive rows, which one TMA copy moves.

    Args:
        layout: Layout of the row indices, of one dimension.

    Raises:
        CodegenError: Lanes hold different rows, or a thread does not hold four consecutive rows.
    """
    offsets = register_offsets(layout, 0)
    firsts = {offset: register for register, offset in reversed(list(enumerate(offsets)))}
    groups = tuple(
        tuple(firsts.get(row + n, -1) for n in range(_TMA_ROWS))
        for row in sorted(firsts)
        if not row % _TMA_ROWS
    )
    lanes_differ = any(image[0] for image in layout.bases["lane"])
    if lanes_differ or any(-1 in group for group in groups):
        raise CodegenError(
            "each thread of a warp must hold the indices of four consecutive rows",
            found=layout,
            hint="a layout with sizePerThread 4 along the rows, and all lanes along the columns",
        )
    return groups


def rows_of_instructions(indices: Attribute) -> GatherRows:
    """Divide the rows of a TDM gather or scatter among the instructions of each wave.

    Args:
        indices: The type of the row indices.

    Raises:
        CodegenError: The indices do not have 16 or 32 bits.
    """
    bits = types.bit_width(indices)
    if bits not in GATHER_ROWS:
        raise CodegenError(
            "TDM supports only row indices of 16 or 32 bits",
            found=indices,
            accepted=[f"i{each}" for each in GATHER_ROWS],
        )
    return divide_rows(layout_of(indices), GATHER_ROWS[bits])
