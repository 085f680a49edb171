"""Hints replace what the analysis infers."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    RANGE,
    V,
    info_of,
)
from weft.analysis.axis_info import (
    AxisInfo,
)


def test_hints_replace_inferred_facts():
    hints = (
        "{tt.contiguity = dense<8> : tensor<1xi32>, tt.constancy = dense<2> : tensor<1xi32>, "
        "tt.divisibility = dense<32> : tensor<1xi32>}"
    )
    body = RANGE + f"%s = tt.splat %n : i32 -> {V}\n%x = arith.remsi %r, %s {hints} : {V}"
    assert info_of(body, "%x", V) == AxisInfo((8,), (32,), (2,))
    wrong = body.replace("dense<8> : tensor<1xi32>", "dense<[8, 8]> : tensor<2xi32>")
    assert info_of(wrong, "%x", V).contiguity == (1,)


def test_a_hint_with_the_shape_of_the_value_counts_for_each_dimension():
    tile = "tensor<4x16xi32>"
    hint = f"{{tt.contiguity = dense<8> : {tile}, tt.divisibility = dense<16> : {tile}}}"
    body = f"%s = tt.splat %n : i32 -> {tile}\n%x = arith.addi %s, %s {hint} : {tile}"
    info = info_of(body, "%x", tile)
    assert info.contiguity == (8, 8)
    assert info.divisibility == (16, 16)
