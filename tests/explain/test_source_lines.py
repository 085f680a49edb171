"""Lines of the kernel that operations come from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.modules import module_of, named, required
from tests.explain.reports import FINDING
from weft.errors import Location
from weft.explain.source_lines import group_by_line, kernel_line


def line_of(location: str) -> Location | None:
    op = "tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>"
    return kernel_line(named(module_of(f"%a = {op} {location}"), "tt.make_range"))


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ('loc("kernel.py":7:3)', ("kernel.py", 7)),
        ('loc("i"("kernel.py":7:3))', ("kernel.py", 7)),
        ('loc(callsite("helper.py":9:0 at "kernel.py":4:8))', ("helper.py", 9)),
        ('loc(callsite("/x/weft/language/standard.py":9:0 at "kernel.py":4:8))', ("kernel.py", 4)),
        ('loc(callsite("/x/triton/language/math.py":9:0 at "kernel.py":4:8))', ("kernel.py", 4)),
        ('loc("/x/triton/language/math.py":9:0)', ("/x/triton/language/math.py", 9)),
        (
            'loc(callsite("/weft/language/a.py":1:0 at "/weft/language/b.py":2:0))',
            ("/weft/language/a.py", 1),
        ),
        ("loc(unknown)", None),
    ],
)
def test_line(location, expected):
    line = line_of(location)
    assert (line and (line.file, line.line)) == expected


def test_text_of_the_line(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("first\n    second  \n")
    assert required(line_of(f'loc("{file}":2:0)')).source == "    second  "
    assert required(line_of(f'loc("{file}":3:0)')).source == ""


def test_groups_are_in_the_order_of_files_and_lines():
    entries = [
        replace(FINDING, location=location)
        for location in (
            Location("b.py", 2),
            Location("a.py", 10),
            Location("b.py", 2),
            None,
            Location("a.py", 9),
        )
    ]
    groups = group_by_line(entries)
    assert [location for location, _ in groups] == [
        None,
        Location("a.py", 9),
        Location("a.py", 10),
        Location("b.py", 2),
    ]
    assert groups[3][1] == [entries[0], entries[2]]
