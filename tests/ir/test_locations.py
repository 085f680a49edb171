"""Source locations and their file positions."""

from __future__ import annotations

import pytest

from weft.errors import Location
from weft.ir import attributes, locations, types
from weft.ir.builtin import Attribute
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.ir.text.printer import print_type

HERE, THERE = locations.file("k.py", 7, 4), locations.file("lib.py", 2)
INTEGER = attributes.integer(1, types.i32)


@pytest.mark.parametrize(
    ("location", "text", "position"),
    [
        (HERE, 'loc("k.py":7:4)', Location("k.py", 7, 4)),
        (THERE, 'loc("lib.py":2:0)', Location("lib.py", 2)),
        (locations.unknown, "loc(unknown)", None),
        (locations.named("acc", HERE), 'loc("acc"("k.py":7:4))', Location("k.py", 7, 4)),
        (
            locations.call_site(HERE, THERE),
            'loc(callsite("k.py":7:4 at "lib.py":2:0))',
            Location("k.py", 7, 4),
        ),
        (
            locations.fused((locations.unknown, THERE, HERE)),
            'loc(fused[unknown, "lib.py":2:0, "k.py":7:4])',
            Location("lib.py", 2),
        ),
        (
            locations.fused((HERE,), INTEGER),
            'loc(fused<1 : i32>["k.py":7:4])',
            Location("k.py", 7, 4),
        ),
        (locations.fused((locations.unknown,)), "loc(fused[unknown])", None),
    ],
)
def test_text_and_position(
    location: locations.LocationAttr, text: str, position: Location | None
) -> None:
    assert print_type(location) == text
    assert locations.position(location) == position
    module = parse_module(f"tt.func @f() {{\ntt.return {text}\n}}")
    (op,) = (op for op in walk(module) if op.name == "tt.return")
    assert op.location == location


@pytest.mark.parametrize(
    ("text", "end"), [('loc("k.py":5:6 to :9)', (5, 9)), ('loc("k.py":5:6 to 7:2)', (7, 2))]
)
def test_a_range(text: str, end: tuple[int, int]) -> None:
    module = parse_module(f"tt.func @f() {{\ntt.return {text}\n}}")
    (op,) = (op for op in walk(module) if op.name == "tt.return")
    range_: Attribute = op.location
    assert isinstance(range_, locations.FileRangeLoc)
    assert (range_.end_line.data, range_.end_column.data) == end
    assert locations.position(range_) == Location("k.py", 5, 6)
    assert print_type(range_) == text


def test_other_attributes_have_no_position() -> None:
    assert locations.position(INTEGER) is None
