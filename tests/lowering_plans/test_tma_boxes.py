"""Boxes of TMA copies."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import find
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.tma_boxes import tma_boxes


@pytest.mark.parametrize(("columns", "boxes"), [(64, 1), (128, 2), (256, 4)])
def test_a_box_has_128_bytes_of_a_row(columns, boxes):
    shared = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
    )
    body = (
        "tt.func public @k() { %b = ttg.local_alloc : () ->"
        f" !ttg.memdesc<64x{columns}xf16, {shared}, #ttg.shared_memory, mutable> tt.return }}"
    )
    op, _ = find(body, "ttg.local_alloc")
    assert len(tma_boxes(memdesc_of(op.results[0]))) == boxes
