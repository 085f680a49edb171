"""Sectors that vectors touch, by hand."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import BLOCKED, find
from weft.analysis.axis_info import AxisInfo
from weft.lowering_plans.sectors import (
    SectorTraffic,
    address_strides,
    count_sectors,
    knows_sectors,
)

ROW = BLOCKED % (4, 32, 4, 0)
TYPE = f"tensor<512xi32, {ROW}>"


def range_type():
    op, _ = find(
        f"tt.func public @k() {{ %0 = tt.make_range {{end = 512 : i32, start = 0 : i32}} : {TYPE}"
        " tt.return }",
        "tt.make_range",
    )
    return op.results[0].type


@pytest.mark.parametrize(
    ("starts", "count", "stride", "expected"),
    [
        ([0], 4, 1, SectorTraffic(64, 64, 64, 4)),  # a warp loads 512 bytes at once
        ([0, 1, 2, 3], 1, 1, SectorTraffic(4 * 64, 64, 64, 4)),  # the same sectors four times
        ([0], 4, 0, SectorTraffic(4, 4, 1, 4)),
        ([0], 4, 2, SectorTraffic(128, 64, 128, 4)),
    ],
)
def test_sectors_of_f32(starts, count, stride, expected):
    assert count_sectors(range_type(), starts, count, (stride,), 32) == expected


def test_strides_from_axis_info():
    info = AxisInfo((1, 64), (16, 16), (1, 1))
    assert address_strides(info, (8, 64))[1] == 1
    assert address_strides(info, (8, 64))[0] > 64
    assert address_strides(AxisInfo((1, 64), (16, 16), (8, 1)), (8, 64)) == (0, 1)


def test_sectors_are_known_of_aligned_rows_only():
    assert knows_sectors(AxisInfo((512,), (64,), (1,)), (512,), 32)
    assert not knows_sectors(AxisInfo((4,), (16,), (1,)), (512,), 32)
    assert not knows_sectors(AxisInfo((1, 64), (2, 2), (1, 1)), (8, 64), 16)
