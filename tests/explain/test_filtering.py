"""Parts of a report: a line, a value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.reports import ACCESS, CONVERSION, FINDING, REPORT, VALUE, line
from weft.errors import WeftError
from weft.explain.filtering import filter_by_line, filter_by_value


def test_a_line():
    part = filter_by_line(REPORT, 3)
    assert [value.name for value in part.values] == ["%tile"]
    assert part.memory == (ACCESS,)
    assert part.conversions == part.shared == part.dots == ()
    assert [finding.about for finding in part.findings] == ["memory"]
    assert [name for name, _ in part.layouts] == ["#blocked"]


def test_layouts_of_conversions_and_accesses_are_kept():
    conversion = filter_by_line(replace(REPORT, values=()), 4)
    assert [name for name, _ in conversion.layouts] == ["#blocked", "#blocked1"]
    shared = filter_by_line(replace(REPORT, values=()), 5)
    assert [name for name, _ in shared.layouts] == ["#blocked"]
    assert (len(shared.shared), len(shared.dots)) == (1, 1)


@pytest.mark.parametrize("field", ["values", "conversions", "memory", "dots"])
def test_one_kind_of_entry_is_enough_for_a_line(field):
    kinds = {name: () for name in ("values", "conversions", "memory", "dots", "shared")}
    del kinds[field]
    report = replace(REPORT, **kinds)
    (entry, *_) = getattr(report, field)
    assert getattr(filter_by_line(report, entry.location.line), field) == (entry,)


def test_a_line_without_tensors():
    report = replace(REPORT, values=(*REPORT.values, replace(VALUE, location=None)))
    with pytest.raises(WeftError, match="no tensor comes from line 1") as caught:
        filter_by_line(report, 1)
    assert "3" in str(caught.value)
    assert "4" in str(caught.value)


@pytest.mark.parametrize("name", ["tile", "%tile"])
def test_a_value_by_the_name_of_its_variable(name):
    part = filter_by_value(REPORT, name)
    assert [value.name for value in part.values] == ["%tile", "%tile_3"]
    assert part.conversions == (CONVERSION,)  # its anchor is %tile
    assert part.memory == (ACCESS,)
    assert part.dots == part.shared == ()
    assert len(part.findings) == 2


def test_a_value_by_its_whole_name():
    part = filter_by_value(REPORT, "%tile_3")
    assert [value.name for value in part.values] == ["%tile_3"]
    assert part.conversions == part.memory == part.findings == ()


def test_findings_need_an_entry_on_a_line_of_the_value():
    elsewhere = replace(FINDING, location=line(5))
    unknown = replace(FINDING, location=None)
    report = replace(REPORT, findings=(elsewhere, unknown, FINDING), conversions=())
    assert filter_by_value(report, "tile").findings == ()
    values = (replace(VALUE, location=None), VALUE)
    report = replace(REPORT, values=values, memory=(replace(ACCESS, location=None),))
    report = replace(report, findings=(unknown,))
    assert filter_by_value(report, "tile").findings == ()


def test_a_value_that_does_not_exist():
    with pytest.raises(WeftError, match="no tensor is called %tiles") as caught:
        filter_by_value(REPORT, "%tiles")
    assert "did you mean %tile" in str(caught.value)
    with pytest.raises(WeftError, match="no tensor is called %til"):
        filter_by_value(REPORT, "til")
