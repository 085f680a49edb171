"""K of scaled dots."""

from __future__ import annotations

import pytest

from tests.passes.amd.dot_modules import scaled_dot_module
from weft.ir import tt
from weft.ir.text import parse_module
from weft.passes.amd.accelerate_matmul.scaled_mfma import k_size


@pytest.mark.parametrize("left_by_k", [True, False])
@pytest.mark.parametrize("element", ["e2m1", "e4m3"])
def test_k_size(element, left_by_k):
    left_by_k = left_by_k or element != "e2m1"  # only fp4 is packed
    text = scaled_dot_module("gfx950", (64, 64, 128), (element, "e4m3"), left_by_k=left_by_k)
    (dot,) = (op for op in parse_module(text).walk() if isinstance(op, tt.DotScaledOp))
    assert k_size(dot) == 128
