"""How long instructions of SASS take: rows by prefix, and malformed files."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets.instruction_timing import instruction_timing, read_instruction_timing
from weft.targets.loading import load_tables


@pytest.mark.parametrize(
    ("opcode", "unit", "kind"),
    [
        ("FFMA.FTZ", "issue", ""),
        ("IADD3", "alu", ""),
        ("UIADD3", "uniform", ""),
        ("LDG.E.128", "lsu", "load"),
        ("LDGSTS.E.BYPASS.128", "lsu", ""),
        ("LDGDEPBAR", "none", "commit"),
        ("LDC.64", "none", ""),
        ("F2FP.F16.F32.PACK_AB", "alu", ""),
        ("F2F.F64.F32", "xu", ""),
        ("WARPGROUP.DEPBAR.LE", "none", "wait wgmma"),
        ("WARPGROUP.ARRIVE", "none", ""),
        ("BAR.SYNC.DEFER_BLOCKING", "none", "barrier"),
    ],
)
def test_the_longest_prefix_decides(opcode, unit, kind):
    row = instruction_timing("cuda:90").find(opcode)
    assert (row.unit, row.kind) == (unit, kind)


def test_chips_without_a_file():
    with pytest.raises(UnknownTargetError, match="no timings of instructions are listed"):
        instruction_timing("cuda:80")


def test_malformed_files_are_refused():
    tables = dict(load_tables("instruction_timing", "sm_90"))
    with pytest.raises(WeftError, match=r"sm_90/instruction_timing\.toml"):
        read_instruction_timing({**tables, "facts": {}}, "sm_90")
    with pytest.raises(WeftError, match="list instructions is missing"):
        read_instruction_timing({**tables, "rows": {}}, "sm_90")
