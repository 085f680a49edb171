"""The picture of a conversion fills every register from a place that has its element."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from tests.layouts.strategies import blocked, shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, LinearLayout
from weft.layouts.drawing import transfer_picture

NUMBERS = re.compile(r"(block|warp|lane|register) (\d+)")


def places(note: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the destination and the source of a value."""
    _, to, origin = note.split("\n")
    first, second = ({k: int(n) for k, n in NUMBERS.findall(line)} for line in (to, origin))
    return first, second


@given(blocked(2, clusters=False), blocked(2, clusters=False), shapes(2, 4))
def test_every_register_gets_its_element(before, after, shape):
    source, target = before.linear(shape), after.linear(shape)
    for panel in transfer_picture(source, target, "").panels:
        for cell in panel.cells[::7]:
            to, origin = places(cell.note)
            assert source.apply(origin) == target.apply(to)
            assert cell.groups == (origin["lane"], origin["warp"], origin["register"])
            thread = origin["warp"] * source.in_dims["lane"] + origin["lane"]
            assert cell.label == f"T{thread}:{origin['register']}"


def test_the_nearest_holder_is_shown():
    layout = BlockedEncoding((1,), (32,), (4,), (0,)).linear((8,))  # everyone holds a copy
    for panel in transfer_picture(layout, layout, "").panels:
        for cell in panel.cells:
            to, origin = places(cell.note)
            assert to == origin


def test_too_many_cells():
    layout = LinearLayout.identity_1d(1 << 15, "lane", "dim0")
    with pytest.raises(LayoutError, match="too many cells for a picture\n  found: 32768"):
        transfer_picture(layout, layout, "")
