"""Axis info of comparisons."""

from __future__ import annotations

import pytest

from tests.analysis.axis_info.infos import (
    RANGE,
    V,
    info_of,
)


@pytest.mark.parametrize(
    ("predicate", "swapped", "groups"),
    [("slt", False, 16), ("sge", False, 16), ("sgt", True, 16), ("slt", True, 1), ("eq", False, 1)],
)
def test_a_comparison_with_a_multiple_is_constant_in_groups(predicate, swapped, groups):
    a, b = ("%s", "%r") if swapped else ("%r", "%s")
    body = (
        RANGE
        + f"%s = tt.splat %n16 : i32 -> {V}\n%m = arith.cmpi {predicate}, {a}, {b} : {V}\n"
        + f"%x = arith.extui %m : tensor<64xi1> to {V}"
    )
    assert info_of(body, "%x", V).constancy == (groups,)
