"""Conversions: registers, shuffles, shared memory."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import BLOCKED, find, instructions, summary
from weft.lowering_plans.conversion import conversion_bytes

ROWS = BLOCKED % ("1, 4", "4, 8", "4, 1", "1, 0")
COLUMNS = BLOCKED % ("4, 1", "8, 4", "1, 4", "0, 1")


def body(before: str, after: str) -> str:
    return f"""
tt.func public @k(%x: tensor<64x64xf32, {before}>) {{
  %y = ttg.convert_layout %x : tensor<64x64xf32, {before}> -> tensor<64x64xf32, {after}>
  tt.return
}}
"""


@pytest.mark.parametrize("chip", ["cuda:90", "hip:gfx1201"])
def test_through_shared_memory_without_conflicts(chip):
    kinds = [
        each.kind for each in instructions(body(ROWS, COLUMNS), "ttg.convert_layout", chip=chip)
    ]
    assert kinds[0] == "shared store"
    assert kinds[-2:] == ["shared load", "barrier"]
    store, load, _ = instructions(body(ROWS, COLUMNS), "ttg.convert_layout", chip=chip)
    assert store.bits * store.requests == load.bits * load.requests == 64 * 64 * 32 // 32
    assert (store.conflicts, load.conflicts) == (0, 0)


def test_through_registers_there_is_no_instruction():
    again = BLOCKED % ("1, 8", "4, 8", "4, 1", "1, 0")
    assert summary(body(again, again), "ttg.convert_layout") == []


def test_within_a_warp_by_shuffles():
    other = BLOCKED % ("1, 2", "2, 16", "4, 1", "1, 0")
    kinds = {each.kind for each in instructions(body(ROWS, other), "ttg.convert_layout")}
    assert kinds <= {"shuffle", "shared store", "shared load", "barrier"}


def test_scratch_memory_is_that_of_the_tile():
    op, context = find(body(ROWS, COLUMNS), "ttg.convert_layout")
    assert conversion_bytes(op, context.target) >= 64 * 64 * 4 // 2
