"""TDM: row indices."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def vector(words: list[int]) -> str:
    elements = ", ".join(f"i32 {word}" for word in words)
    return f"<{len(words)} x i32> <{elements}>"


def test_more_row_indices_than_a_descriptor_holds():
    # One tile, gathered by 32-bit row indices, of 9 rows.
    first = [1 | 3 << 30, 0, 0, 0]
    second = [0, 0, 0, 16 << 16, 9, 0, 0, 0]
    groups = ", ".join(map(vector, (first, second, [0] * 4, [0] * 4)))
    line = f"  call void @llvm.amdgcn.tensor.load.to.lds({groups}, i32 0)\n  ret void"
    with pytest.raises(CodegenError, match="more row indices than a TDM descriptor holds"):
        run_text(line, [], shared_bytes=64, chip="gfx1250")
