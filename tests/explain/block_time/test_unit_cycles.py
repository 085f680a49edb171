"""The cycles of units for an instruction."""

from __future__ import annotations

import pytest

from weft.explain.block_time.sass import SassInstruction
from weft.explain.block_time.unit_cycles import operand_cycles, unit_cycles
from weft.targets.instruction_timing import instruction_timing


@pytest.mark.parametrize(
    ("opcode", "cycles"),
    [("LDG.E.128", 4), ("LDG.E.U16", 1), ("FFMA", 1), ("HGMMA.64x64x16.F32", 32)],
)
def test_cycles_by_width(opcode, cycles):
    row = instruction_timing("cuda:90").find(opcode)
    assert unit_cycles(SassInstruction(opcode, "", (), ()), row) == cycles


def test_operands_in_shared_memory():
    # 2048 bytes of a and 2048 of b take 32 cycles of 128 bytes, a quarter for each warp.
    both = SassInstruction("HGMMA.64x64x16.F32", "R24, gdesc[UR4], R24, gsb0", (), ())
    only_b = SassInstruction("HGMMA.64x64x16.F32", "R24, R4, gdesc[UR4], R24, gsb0", (), ())
    assert (operand_cycles(both), operand_cycles(only_b)) == (8.0, 4.0)
