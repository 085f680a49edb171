"""Layouts that are to be inferred."""

from __future__ import annotations

import pytest

from weft.ir.placeholder_layouts import has_placeholder_layouts
from weft.ir.text import parse_module

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
)


@pytest.mark.parametrize(
    ("suffix", "is_to_infer"),
    [
        ("", False),
        (f", {BLOCKED}", False),
        (", #gluon.auto_encoding", True),
        (", #gluon.coalesced_encoding", True),
    ],
)
def test_has_placeholder_layouts(suffix, is_to_infer):
    text = f"%0 = arith.constant dense<0> : tensor<64xi32{suffix}>"
    assert has_placeholder_layouts(parse_module(text)) == is_to_infer
