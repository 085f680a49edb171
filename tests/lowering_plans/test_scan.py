"""Scans: shuffles upwards and downwards, exchanges of totals."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, find, summary
from weft.lowering_plans.scan import plan_scan, scan_bytes


def body(lanes: int, warps: int) -> str:
    layout = BLOCKED % (4, lanes, warps, 0)
    size = 4 * lanes * warps
    return f"""
tt.func public @k(%x: tensor<{size}xf32, {layout}>) {{
  %y = "tt.scan"(%x) <{{axis = 0 : i32, reverse = false}}> ({{
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }}) : (tensor<{size}xf32, {layout}>) -> tensor<{size}xf32, {layout}>
  tt.return
}}
"""


def test_one_warp_takes_a_shuffle_per_lane_bit_and_one_back():
    assert summary(body(32, 1), "tt.scan", warps=1) == [("shuffle", 32, 6, 1)]


def test_warps_exchange_their_totals():
    op, _ = find(body(32, 4), "tt.scan")
    plan = plan_scan(op)
    assert [run.kind for run in plan.runs] == ["register", "lane", "warp"]
    assert list(plan.exchanges) == [2]
    assert scan_bytes(op) == 4 * 4
    kinds = [kind for kind, *_ in summary(body(32, 4), "tt.scan")]
    assert kinds == ["shuffle", "shared store", "shared load", "barrier"]
