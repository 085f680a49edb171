"""Registers that hold distinct elements."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, find
from weft.lowering_plans.registers import layout_of, representative_registers


def test_replicas_are_represented_by_the_first():
    layout = BLOCKED % (4, 32, 4, 0)
    body = (
        "tt.func public @k() { %0 = tt.make_range {end = 2 : i32, start = 0 : i32} :"
        f" tensor<2xi32, {layout}> tt.return }}"
    )
    op, _ = find(body, "tt.make_range")
    assert list(representative_registers(layout_of(op.results[0].type))) == [0, 1, 0, 1]
