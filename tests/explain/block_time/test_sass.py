"""Registers of SASS instructions, and the basic blocks of its text."""

from __future__ import annotations

import pytest

from weft.explain.block_time.sass import SassInstruction, read_sass

KERNEL = """
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0020*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0030*/              @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2);
"""


def read(line: str) -> SassInstruction:
    ((instruction,), *_) = read_sass(f"        /*0240*/  {line} ;").blocks
    return instruction


@pytest.mark.parametrize(
    ("line", "writes", "reads"),
    [
        ("FMUL R5, R4, R3.reuse", "R5", "R4 R3"),
        ("LDG.E.128 R4, desc[UR16][R2.64]", "R4 R5 R6 R7", "UR16 R2 R3"),
        ("@!P4 LDG.E R4, desc[UR16][R2.64]", "R4", "UR16 R2 R3 P4 R4"),
        ("STG.E.64 desc[UR4][R2.64], R6", "", "UR4 R2 R3 R6"),
        ("ISETP.GE.AND P4, PT, R9, UR10, PT", "P4", "R9 UR10"),
        ("IADD3 R2, P0, R4, R6, RZ", "R2 P0", "R4 R6"),
        ("SHFL.BFLY PT, R2, R3, 0x10, 0x1f", "R2", "R3"),
        ("BAR.SYNC.DEFER_BLOCKING 0x0", "", ""),
        ("IMAD.WIDE R2, R9, 0x4, R2", "R2 R3", "R9 R2"),
        ("HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0", "R24 R25 R26 R27", "UR4 R24"),
    ],
)
def test_registers(line, writes, reads):
    instruction = read(line)
    assert " ".join(instruction.writes) == writes
    assert " ".join(instruction.reads) == reads


@pytest.mark.parametrize(
    ("line", "registers"),
    [
        ("LDG.E.128 R4, desc[UR16][R2.64]", 4),
        ("LDG.E.U16 R4, desc[UR16][R2.64]", 0.5),
        ("LDS R4, [R2]", 1),
        ("LDSM.16.M88.4 R4, [R2]", 4),
    ],
)
def test_registers_that_a_lane_moves(line, registers):
    assert read(line).registers == registers


def test_basic_blocks():
    flow = read_sass(KERNEL)
    opcodes = [[each.opcode for each in block] for block in flow.blocks if block]
    assert opcodes == [["S2R", "BRA"], ["IADD3", "BRA"], ["EXIT"], ["BRA"]]
    numbers = {block: number for number, block in enumerate(flow.blocks) if block}
    entry, loop, end, _ = numbers.values()
    assert end in flow.successors[entry]
    assert loop in flow.successors[loop]
    assert flow.successors[end] == ()
