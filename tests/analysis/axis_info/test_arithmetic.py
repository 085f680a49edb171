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
    operands = (
        RANGE
        + f"%s = tt.splat %n16 : i32 -> {V}\n"
        + "".join(
            f"%{name} = arith.constant dense<{value}> : {V}\n"
            for name, value in (("zero", 0), ("one", 1), ("four", 4))
        )
    )
    assert info_of(f"{operands}{body} : {V}", "%x", V) == info


@pytest.mark.parametrize(
    ("operation", "a", "b", "expected"),
    [
        ("addi", 5, -7, -2),
        ("subi", 5, 7, -2),
        ("muli", 3, -4, -12),
        ("divsi", 7, 2, 3),
        ("divsi", -7, 2, -3),
        ("divsi", 7, -2, -3),
        ("divsi", -7, -2, 3),
        ("divsi", 7, 0, None),
        ("divui", -2, 2, 2**31 - 1),
        ("divui", 7, 0, None),
        ("remsi", 7, 4, 3),
        ("remsi", -7, 4, -3),
        ("remsi", 7, -4, 3),
        ("remsi", 7, 0, None),
        ("remui", -1, 16, 15),
        ("remui", 7, 0, None),
        ("andi", 12, 10, 8),
        ("ori", 12, 10, 14),
        ("xori", 12, 10, 6),
        ("shli", 3, 4, 48),
        ("shli", 3, 32, None),
        ("shrsi", -16, 2, -4),
        ("shrsi", -16, 32, None),
        ("shrui", -1, 28, 15),
        ("shrui", -1, 32, None),
    ],
)
def test_constants_fold(operation, a, b, expected):
    body = f"%a = arith.constant {a} : i32\n%b = arith.constant {b} : i32\n"
    assert info_of(f"{body}%x = arith.{operation} %a, %b : i32", "%x", "i32").constant == expected
