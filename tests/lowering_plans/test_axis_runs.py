"""Runs of a dimension: registers, lanes, warps."""

from __future__ import annotations

from tests.lowering_plans.modules import BLOCKED, find
from weft.lowering_plans.axis_runs import AxisRun, axis_runs, steps_along

LAYOUT = BLOCKED % (2, 32, 2, 0)
BODY = (
    f"tt.func public @k() {{ %0 = tt.make_range {{end = 512 : i32, start = 0 : i32}} :"
    f" tensor<512xi32, {LAYOUT}> tt.return }}"
)


def test_runs_from_the_lowest_bits():
    op, _ = find(BODY, "tt.make_range", warps=2)
    assert axis_runs(op.results[0].type, 0) == (
        AxisRun("register", (0,)),
        AxisRun("lane", (0, 1, 2, 3, 4)),
        AxisRun("warp", (0,)),
        AxisRun("register", (1, 2)),
    )
    assert steps_along(op.results[0].type, 0, "register") == [0, 1, 2]


def test_the_place_of_an_index():
    run = AxisRun("lane", (1, 3))
    assert run.mask == 0b1010
    assert [run.place(index) for index in range(4)] == [0, 2, 8, 10]
