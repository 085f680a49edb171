"""Axis info of integer arithmetic."""

from __future__ import annotations

import pytest

from tests.analysis.axis_info.infos import (
    FROM_ZERO,
    RANGE,
    UNCONSTRAINED,
    V,
    info_of,
)
from weft.analysis.axis_info import (
    AxisInfo,
)


@pytest.mark.parametrize(
    ("body", "info"),
    [
        ("%x = arith.addi %r, %s", AxisInfo((64,), (16,), (1,))),
        ("%x = arith.subi %r, %s", AxisInfo((64,), (16,), (1,))),
        ("%x = arith.subi %s, %r", AxisInfo((1,), (1,), (1,))),
        ("%x = arith.addi %r, %r", AxisInfo((1,), (2,), (1,))),
        ("%x = arith.muli %r, %s", AxisInfo((1,), (16,), (1,))),
        ("%x = arith.muli %r, %one", AxisInfo((64,), (FROM_ZERO,), (1,))),
        ("%x = arith.muli %r, %zero", AxisInfo((1,), (UNCONSTRAINED,), (64,), 0)),
        ("%x = arith.muli %four, %four", AxisInfo((1,), (16,), (64,), 16)),
        ("%x = arith.divsi %r, %four", AxisInfo((1,), (1,), (4,))),
        ("%x = arith.divsi %s, %four", AxisInfo((1,), (4,), (64,))),
        ("%x = arith.remsi %r, %four", AxisInfo((4,), (4,), (1,))),
        ("%x = arith.remsi %r, %one", AxisInfo((1,), (UNCONSTRAINED,), (64,), 0)),
        ("%x = arith.andi %s, %four", AxisInfo((1,), (1,), (64,))),
        ("%x = arith.shli %s, %four", AxisInfo((1,), (256,), (64,))),
        ("%x = arith.shrui %s, %one", AxisInfo((1,), (8,), (64,))),
        ("%x = arith.shli %r, %zero", AxisInfo((64,), (FROM_ZERO,), (1,))),
        ("%x = arith.maxsi %four, %one", AxisInfo((1,), (4,), (64,), 4)),
        ("%x = arith.minui %r, %r", AxisInfo((64,), (FROM_ZERO,), (1,))),
    ],
)
def test_arithmetic(body, info):
    given = (
        RANGE
        + f"%s = tt.splat %n16 : i32 -> {V}\n"
        + "".join(
            f"%{name} = arith.constant dense<{value}> : {V}\n"
            for name, value in (("zero", 0), ("one", 1), ("four", 4))
        )
    )
    assert info_of(f"{given}{body} : {V}", "%x", V) == info
