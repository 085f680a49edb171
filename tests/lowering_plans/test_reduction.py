"""Reductions: shuffles, and partials of warps through shared memory."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import BLOCKED, summary


def body(warps_on_axis: bool) -> str:
    layout = BLOCKED % ("1, 4", "1, 32", "1, 4" if warps_on_axis else "4, 1", "1, 0")
    return f"""
tt.func public @k(%x: tensor<4x512xf32, {layout}>) {{
  %y = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }}) : (tensor<4x512xf32, {layout}>) -> tensor<4xf32, #ttg.slice<{{dim = 1, parent = {layout}}}>>
  tt.return
}}
"""


def test_a_row_within_a_warp_takes_five_shuffles():
    assert summary(body(False), "tt.reduce") == [("shuffle", 32, 5, 4)]


def test_a_row_over_warps_passes_through_shared_memory():
    kinds = [kind for kind, *_ in summary(body(True), "tt.reduce")]
    assert kinds[-1] == "barrier"
    assert {"shuffle", "shared store", "shared load"} <= set(kinds)


@pytest.mark.parametrize("chip", ["hip:gfx942", "hip:gfx1201"])
def test_amd_moves_between_lanes_by_its_own_means(chip):
    ((kind, bits, count, warps),) = summary(
        body(False).replace("1, 32", "1, 64" if chip.endswith("942") else "1, 32"),
        "tt.reduce",
        chip=chip,
    )
    assert (kind, bits, warps) == ("shuffle", 32, 4)
    assert count >= 5
