"""Every example: each tensor's layout has a recorded reason, and the report keeps its schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.explain.json_schema import violations
from tests.oracle.corpus import EXAMPLES, is_for, kernels_of, name
from weft.explain import explain
from weft.explain.json_report import as_json
from weft.kernel.files import load_cases, load_file

SCHEMA = json.loads(
    Path(__file__).parents[2].joinpath("docs/guides/explain.schema.json").read_text()
)
TARGETS = ("hip:gfx942", "hip:gfx1201", "cuda:90", "cuda:100")
COMPILES = [
    (path, index, target)
    for path, index in EXAMPLES
    for target in TARGETS
    if is_for(path, index, target) and kernels_of(path).index(kernels_of(path)[index]) == index
]


def report_of(path, index, target):
    case = load_cases(load_file(str(path)))[index]
    return explain(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=target,
        trials=0,
        **case.options,
    )


@pytest.mark.parametrize(
    ("path", "index", "target"),
    [
        pytest.param(*each, id=name(*each), marks=() if number % 3 == 0 else pytest.mark.slow)
        for number, each in enumerate(COMPILES)  # 3: the targets of a kernel take turns
    ],
)
def test_every_layout_has_a_reason(path, index, target):
    report = report_of(path, index, target)
    assert report.ledger == "recorded"
    assert report.values
    unexplained = [
        f"{value.name} of {value.op}, last changed by {value.history[-1].stage}"
        for value in report.values
        if not value.reason
    ]
    assert not unexplained, "\n".join(unexplained)
    outdated = [value for value in report.values if value.history[-1].layout != value.encoding]
    assert not outdated
    assert list(violations(json.loads(as_json(report)), SCHEMA, SCHEMA)) == []


def test_violations_of_the_schema_are_reported():
    path, index, target = next(
        each for each in COMPILES if each[0].stem == "matmul" and each[2] == "cuda:90"
    )
    report = json.loads(as_json(report_of(path, index, target)))
    report["findings"][0]["cost"] = "a string"
    report["memory"][0]["limit"] = "unknown"
    del report["dots"][0]["tile"]
    report["values"][0]["extra"] = 1
    report["conversions"][0]["anchors"] = [7]
    assert len(list(violations(report, SCHEMA, SCHEMA))) == 5
