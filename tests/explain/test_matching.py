from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.explain.reports import REPORT, VALUE
from weft.errors import Location
from weft.explain.matching import match_entries

NAMES = st.sampled_from(["%x", "%x_1", "%y", "%acc_12", "%3", "%17"])


def report_of(names, line=1):
    values = tuple(
        replace(VALUE, name=name, encoding=f"#{number}", location=Location("k.py", line + number))
        for number, name in enumerate(names)
    )
    return replace(REPORT, values=values, conversions=(), memory=(), shared=(), dots=())


@given(st.lists(NAMES, max_size=8), st.integers(1, 50))
def test_a_report_matches_itself_on_other_lines(names, line):
    matches = match_entries(report_of(names), report_of(names, line))
    assert len(matches) == len(names)
    assert all(match.is_same for match in matches)
    assert [match.second_line for match in matches] == [line + n for n in range(len(names))]


@given(st.lists(NAMES, max_size=8), st.lists(NAMES, max_size=8))
def test_every_entry_is_matched_once(first, second):
    matches = match_entries(report_of(first), report_of(second))
    texts = [f"{VALUE.op} {VALUE.type} in #{number}" for number in range(8)]
    assert [match.first for match in matches if match.first] == texts[: len(first)]
    assert [match.second for match in matches if match.second] == texts[: len(second)]


def test_a_new_value_moves_no_other():
    first, second = report_of(["%x", "%y", "%4"]), report_of(["%x_7", "%new", "%y", "%9"])
    matches = [
        (match.first is None, match.second is None) for match in match_entries(first, second)
    ]
    assert matches == [(False, False), (True, False), (False, False), (False, False)]


def test_entries_of_one_side_alone():
    empty = report_of([])
    (match,) = match_entries(report_of(["%x"]), empty)
    assert match.second is None
    assert match.second_line == 0
    assert match.name == f"{VALUE.op} x"
    assert [each.first for each in match_entries(empty, report_of(["%x"]))] == [None]
