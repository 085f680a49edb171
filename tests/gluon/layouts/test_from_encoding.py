"""Layouts, their encodings, and the way back."""

from __future__ import annotations

import pytest

from weft import gluon as gl
from weft.errors import LayoutError
from weft.gluon.layouts import (
    AMDMFMALayout,
    AMDWMMALayout,
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
)
from weft.gluon.layouts.from_encoding import layout_of
from weft.gluon.layouts.text import parse_layout

BLOCKED = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
MMA = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
LAYOUTS = [
    gl.AutoLayout(),
    gl.CoalescedLayout(),
    BLOCKED,
    gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]]),
    gl.SliceLayout(1, BLOCKED),
    gl.DotOperandLayout(0, MMA, 2),
    MMA,
    gl.DistributedLinearLayout(
        [[0, 1]], [[1, 0], [2, 0], [4, 0], [8, 0], [0, 2]], [[16, 0], [32, 0]], [], [64, 4]
    ),
    gl.NVMMASharedLayout(64, 16, 2, True),
    gl.SwizzledSharedLayout(4, 1, 8, [1, 0]),
    gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0]),
    gl.SharedLinearLayout([[0, 1], [0, 2], [1, 0]], [], 16),
    TensorMemoryLayout((128, 64), 1, (1, 1)),
    TensorMemoryScalesLayout((1, 1)),
    AMDMFMALayout(3, [32, 32, 8], True, [4, 1]),
    AMDWMMALayout(2, True, [[1, 0], [2, 0]]),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: type(layout).__name__)
def test_round_trip(layout):
    assert layout_of(layout.encoding) == layout
    assert hash(layout_of(layout.encoding)) == hash(layout)


def test_layouts_take_tuples_and_constants():
    assert gl.BlockedLayout((1,), (32,), (gl.constexpr(4),), (0,)) == gl.BlockedLayout(
        [1], [32], [4], [0]
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: gl.BlockedLayout([1], [32, 1], [4], [0]), "threads_per_warp"),
        (lambda: gl.NVMMASharedLayout(48, 16), "swizzle_byte_width must be 0, 32, 64 or 128"),
        (lambda: gl.NVMMASharedLayout(64, 8, fp4_padded=True), "only supports 128 byte"),
        (lambda: gl.PaddedSharedLayout([[3, 1]], [[1]], [], [2]), "interval values must all be"),
        (lambda: AMDMFMALayout(5, [32, 32, 8], True, [4, 1]), r"version must be in the \[1, 4\]"),
    ],
)
def test_rules(build, message):
    with pytest.raises(LayoutError, match=message):
        build()


def test_default_layout_of_a_block():
    layout = gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)
    assert layout == gl.NVMMASharedLayout(128, 16, 2)
    assert gl.NVMMASharedLayout.get_default_for([4, 64], gl.float16).swizzle_byte_width == 0


def test_text_of_a_signature():
    layout = gl.NVMMASharedLayout(64, 16)
    assert parse_layout(repr(layout)) == layout
