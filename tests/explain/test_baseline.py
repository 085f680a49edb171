"""A baseline is written, read, and compared; more is worse, but for the width of an access."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.reports import ACCESS, FINDING, REPORT, line
from weft.errors import WeftError
from weft.explain.baseline import (
    Baseline,
    Change,
    changes,
    check_tolerances,
    load_baseline,
    save_baseline,
)
from weft.explain.measurement import Measurement

MEASUREMENT = Measurement({"conversions": 2, "registers": 100}, {"tt.load a": 128})


def test_round_trip(tmp_path):
    path = tmp_path / "b.json"
    save_baseline(Baseline({"z": MEASUREMENT, "a": MEASUREMENT}), path)
    baseline = load_baseline(path)
    assert list(baseline.kernels) == ["a", "z"]
    assert baseline.kernels["z"] == MEASUREMENT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not a baseline"),
        (b"\xff", "not a baseline"),
        (b'{"kernels": {"a": {"totals": {"conversions": "x"}}}}', "not a baseline"),
        (b'{"format": 2, "kernels": {}}', "format of another version"),
        (None, "cannot read the baseline"),
    ],
)
def test_a_bad_file(tmp_path, content, message):
    path = tmp_path / "b.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WeftError, match=message):
        load_baseline(path)


def test_it_cannot_be_written(tmp_path):
    with pytest.raises(WeftError, match="cannot write the baseline"):
        save_baseline(Baseline(), tmp_path)


def _compare(total, before, after, tolerances=None):
    recorded, measured = Measurement({total: before}, {}), Measurement({total: after}, {})
    return list(changes(recorded, measured, tolerances or {}))


def test_more_is_worse():
    assert _compare("bytes converted", 4, 5) == [Change("bytes converted", 4, 5, True, False)]
    assert _compare("bytes converted", 5, 4) == [Change("bytes converted", 5, 4, False, True)]
    assert _compare("bytes converted", 5, 5) == []


def test_a_tolerance():
    for before, after, percent, is_worse in (
        (100, 105, 5.0, False), (100, 106, 5.0, True), (0, 1, 50.0, True),
    ):  # fmt: skip
        (change,) = _compare("registers", before, after, {"registers": percent})
        assert change.is_worse == is_worse
        assert not change.is_better


def test_a_total_of_only_one_of_them_is_not_compared():
    recorded = Measurement({"registers": 1}, {"tt.load gone": 8})
    assert list(changes(recorded, Measurement({"conversions": 1}, {}), {})) == []


def test_a_narrower_access_is_worse():
    recorded, measured = ({"tt.load a": 64, "tt.load b": 32}, {"tt.load a": 32, "tt.load b": 64})
    assert list(changes(Measurement({}, recorded), Measurement({}, measured), {})) == [
        Change("tt.load a", 64, 32, True, False),
        Change("tt.load b", 32, 64, False, True),
    ]


def test_findings_of_a_change():
    conversion = replace(FINDING, about="conversion")
    memory = replace(FINDING, about="memory", location=ACCESS.location)
    other = replace(FINDING, about="memory", location=line(99))
    report = replace(REPORT, memory=(ACCESS,), findings=(conversion, memory, other))
    for what, findings in (
        ("bytes converted", (conversion,)),
        ("global sectors", (memory, other)),
        ("registers", (conversion, memory, other)),
        ("tt.load tile", (memory,)),
    ):
        assert Change(what, 1, 2, True, False).findings(report) == findings


def test_tolerances():
    assert check_tolerances({"multiply_adds_by_FMA": 2, "registers": 1.5}) == {
        "multiply-adds by FMA": 2.0,
        "registers": 1.5,
    }
    for name, value in (("bytes", 1), ("registers", "x"), ("registers", -1), ("registers", True)):
        with pytest.raises(WeftError, match=r"unknown cost|a tolerance is a percentage"):
            check_tolerances({name: value})
