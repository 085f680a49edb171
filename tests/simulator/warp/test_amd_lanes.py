"""DPP: controls and masks that the simulator does not support."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


@pytest.mark.parametrize(
    ("control", "row_mask", "message"),
    [(0x170, 15, "does not support this DPP control"), (0, 1, "DPP of all rows and banks only")],
)
def test_unsupported_dpp(control, row_mask, message):
    line = (
        "  %x = call i32 @llvm.amdgcn.update.dpp.i32"
        f"(i32 0, i32 %i, i32 {control}, i32 {row_mask}, i32 15, i1 true)\n  ret void"
    )
    with pytest.raises(CodegenError, match=message):
        run_text(line, [], chip="gfx1100")
