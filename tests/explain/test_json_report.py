"""A report as JSON: all keys, nulls, and the schema in the documentation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.explain.json_schema import violations
from tests.explain.reports import CONVERSION, REPORT, VALUE
from weft.explain.json_report import as_json, as_object

SCHEMA = json.loads(
    Path(__file__).parents[2].joinpath("docs/guides/explain.schema.json").read_text()
)


def test_a_report_follows_the_schema():
    report = json.loads(as_json(REPORT))
    assert list(violations(report, SCHEMA, SCHEMA)) == []
    assert report == as_object(REPORT) | {"dots": report["dots"]}
    assert report["format"] == 1


def test_keys_of_a_decision():
    plain, recorded = json.loads(as_json(replace(REPORT, values=(VALUE,))))["values"][0]["history"]
    nothing = {"chose": None, "over": [], "facts": [], "anchor": None, "costs": []}
    assert plain == {"stage": "convert", "layout": VALUE.history[0].layout, "why": "", **nothing}
    assert recorded["chose"] == "#blocked"
    assert recorded["over"][0] == {"choice": "#blocked", "score": "16 bytes"}
    assert recorded["facts"] == [{"name": "contiguity", "value": "64 elements"}]
    assert recorded["anchor"] == "tt.store at line 4"
    assert recorded["costs"] == [
        {
            "side": "convert",
            "total": 12,
            "terms": [{"what": "store", "cost": 5}, {"what": "load", "cost": 7}],
        },
        {"side": "rematerialize", "total": 30, "terms": []},
    ]


def test_unknown_lines_and_anchors_are_null():
    conversion = replace(CONVERSION, location=None, anchors=(None, CONVERSION.anchors[1]))
    (entry,) = json.loads(as_json(replace(REPORT, conversions=(conversion,))))["conversions"]
    assert (entry["file"], entry["line"]) == (None, None)
    assert entry["anchors"] == [
        None,
        {
            "op": "tt.store",
            "value": "%11",
            "layout": "#blocked1",
            "file": "/tmp/kernel.py",
            "line": 4,
        },
    ]
    assert (entry["bytes"], entry["instructions"]) == (8192, {"store b128": 8, "barrier": 2})


def test_text_is_indented_and_not_escaped():
    output = as_json(REPORT)
    assert output.startswith('{\n "format": 1,\n')
    assert output.endswith("}\n")
    assert '"…"' in output
