"""Compute how long an instruction of a warp keeps units busy.

LDG.E.128, a cycle per register:  4          LDS.U16: 1
HGMMA.64x64x16, 128 cycles for 256 columns:  32 of the tensor core; of shared memory 2048 bytes
of a and 2048 of b for a warp group, at 128 bytes per cycle: 8 of its 32 cycles per warp
"""

from __future__ import annotations

from weft.explain.block_time.sass import SassInstruction
from weft.targets.instruction_timing import InstructionRow

__all__ = ["operand_cycles", "unit_cycles"]

_MOST_COLUMNS = 256  # of a warp group's MMA
_WARPS_OF_GROUP = 4
_ROW_BYTES = 32  # an MMA reads 32 bytes of each row of a and column of b
_ROWS = 64
_SHARED_BYTES = 128  # of a cycle


def unit_cycles(instruction: SassInstruction, row: InstructionRow) -> float:
    """Compute the cycles of the row's unit for a warp."""
    if row.kind == "wgmma":
        return row.cycles * instruction.columns / _MOST_COLUMNS
    return row.cycles * max(1.0, instruction.registers) if row.by_width else row.cycles


def operand_cycles(instruction: SassInstruction) -> float:
    """Compute a warp's share of the cycles of shared memory for the operands of a wgmma."""
    # a is in shared memory, too, if the descriptor follows the result.
    _, _, sources = instruction.operands.partition(",")
    rows = _ROWS if sources.lstrip().startswith("gdesc") else 0
    bytes_ = (rows + instruction.columns) * _ROW_BYTES
    return bytes_ / _SHARED_BYTES / _WARPS_OF_GROUP
