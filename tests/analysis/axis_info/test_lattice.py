"""The lattice of axis info: its join and its elements."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    UNCONSTRAINED,
)
from weft.analysis.axis_info import (
    AxisInfo,
    join,
    power_of_two_divisor,
)


def test_join_takes_the_gcd_of_runs():
    a, b = AxisInfo((8,), (16,), (1,), 3), AxisInfo((2,), (4,), (4,), 3)
    assert join(a, b) == AxisInfo((2,), (2,), (1,), 3)
    assert join(a, a) is a
    assert (
        power_of_two_divisor(24),
        power_of_two_divisor(-8),
        power_of_two_divisor(0),
        power_of_two_divisor(1),
    ) == (8, 8, UNCONSTRAINED, 1)
