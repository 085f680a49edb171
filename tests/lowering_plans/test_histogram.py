"""Histograms: counters in shared memory."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, instructions

ROW = BLOCKED % (1, 32, 4, 0)
BODY = f"""
tt.func public @k(%x: tensor<1024xi32, {ROW}>) {{
  %y = tt.histogram %x : tensor<1024xi32, {ROW}> -> tensor<64xi32, {ROW}>
  tt.return
}}
"""


def test_clear_increment_and_read():
    plan = instructions(BODY, "tt.histogram")
    assert [(each.kind, each.count, each.warps) for each in plan] == [
        ("shared store", 1, 2),  # 64 counters are two warps'
        ("shared atomic", 8, 4),
        ("barrier", 2, 4),
        ("shared load", 1, 4),
    ]
    assert [each.certain for each in plan] == [True, False, True, True]
