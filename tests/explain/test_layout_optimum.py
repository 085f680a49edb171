"""`weft explain --optimum`: costs, bound and differences, as data, text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.explain.json_schema import violations
from tests.optimum.programs import cases
from weft.errors import WeftError
from weft.explain import Report, explain
from weft.explain.json_report import as_object
from weft.explain.text_report import text
from weft.targets import target

pytest.importorskip("highspy")

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "guides" / "explain.schema.json").read_text()
)


def report_of(name: str, chip: str = "cuda:90", **options: object) -> Report:
    ((_, case),) = [each for each in cases((name.partition("-")[0],)) if each[0] == name]
    return explain(
        case.kernel,
        target=chip,
        signature=case.signature,
        constexprs=case.constexprs,
        optimum=True,
        **{**case.options, **options},
    )


def test_the_optimum_of_a_kernel_whose_masks_split_accesses():
    optimum = report_of("vector_add-1").optimum
    assert optimum is not None
    assert optimum.is_proved
    assert optimum.triton == optimum.weft
    assert optimum.cost == optimum.bound < optimum.weft
    assert optimum.refined == optimum.cost
    assert sum(each.saving for each in optimum.differences) == optimum.weft - optimum.cost
    store = optimum.differences[0]
    assert (store.op, store.value, store.before, store.after) == (
        *("tt.store", ""), ("#blocked",), ("#optimal",),
    )  # fmt: skip
    assert store.location is not None
    assert "tl.store" in store.location.source
    assert [name for name, _ in optimum.layouts] == ["#optimal"]


def test_the_optimum_is_not_sought_without_the_option():
    ((_, case), *_) = cases(("vector_add",))
    report = explain(case.kernel, target="cuda:90", signature=case.signature, **case.options)
    assert report.optimum is None
    assert as_object(report)["optimum"] is None


def test_layouts_that_are_optimal_have_no_gap():
    optimum = report_of("vector_add-1", layouts="optimal").optimum
    assert optimum is not None
    assert optimum.triton is not None
    assert optimum.triton > optimum.weft == optimum.cost
    assert optimum.gap == 0


def test_text_and_json():
    report = report_of("vector_add-1")
    assert report.optimum is not None
    lines = text(report)
    assert "Optimum of the layouts (quarter cycles" in lines
    assert f"optimum: {report.optimum.cost}, proved; the gap is 218.8%" in lines
    assert "tt.store 256x!tt.ptr<f16>  #blocked → #optimal" in lines
    shown = as_object(report)
    assert not list(violations(json.loads(json.dumps(shown)), SCHEMA, SCHEMA))


def test_layouts_of_the_cpu_device_have_no_costs():
    from weft.explain.layout_optimum import find_optimum
    from weft.ir.text import parse_module

    module = parse_module(
        'module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cpu", '
        '"ttg.threads-per-warp" = 1 : i32} { tt.func public @k() { tt.return } }'
    )
    assert target("cpu").backend == "cpu"
    with pytest.raises(WeftError, match="on GPUs only"):
        find_optimum(module, None)
