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
        (HERE, 'loc("k.py":7:4)', Location("k.py", 7, 5)),
        (THERE, 'loc("lib.py":2:0)', Location("lib.py", 2, 1)),
        (locations.unknown, "loc(unknown)", None),
        (locations.named("acc", HERE), 'loc("acc"("k.py":7:4))', Location("k.py", 7, 5)),
        (
            locations.call_site(HERE, THERE),
            'loc(callsite("k.py":7:4 at "lib.py":2:0))',
            Location("k.py", 7, 5),
        ),
        (
            locations.fused((locations.unknown, THERE, HERE)),
            'loc(fused[unknown, "lib.py":2:0, "k.py":7:4])',
            Location("lib.py", 2, 1),
        ),
        (
            locations.fused((HERE,), INTEGER),
            'loc(fused<1 : i32>["k.py":7:4])',
            Location("k.py", 7, 5),
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
    assert locations.position(range_) == Location("k.py", 5, 7)
    assert print_type(range_) == text


def test_other_attributes_have_no_position() -> None:
    assert locations.position(INTEGER) is None


A, B, C = (locations.file("k.py", line, 4) for line in (1, 2, 3))


def test_call_sites_nest_at_the_outermost_caller():
    once = locations.stack_call_sites(A, B)
    assert once == locations.call_site(A, B)
    twice = locations.stack_call_sites(once, C)
    assert twice == locations.call_site(A, locations.call_site(B, C))


def test_fused_locations_are_flat_and_distinct():
    assert locations.fuse(A, B) == locations.fused((A, B))
    assert locations.fuse(locations.fuse(A, B), B, C) == locations.fused((A, B, C))
    assert locations.fuse(A, locations.unknown, A) == A
    assert locations.fuse(locations.unknown) == locations.unknown


def test_columns_of_python_count_from_0_and_of_ir_from_1():
    assert locations.position(locations.named("x", A)) == Location("k.py", 1, 5)
    assert locations.position(locations.file("k.ttir", 1, 4)) == Location("k.ttir", 1, 4)
