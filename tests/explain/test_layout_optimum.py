"""`weft explain --optimum`: costs, bound and differences, as data, text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.explain.json_schema import violations
from tests.optimum.programs import cases
from tests.oracle.corpus import ROOT
from weft.errors import WeftError
from weft.explain import Report, explain
from weft.explain.json_report import as_object
from weft.explain.optimum_text import optimum_lines
from weft.explain.text_report import text
from weft.ir.text import print_module
from weft.kernel.compile import compile
from weft.kernel.files import load_cases, load_file
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
    assert 'layouts="optimal" keeps those of the optimum: the optimum takes 288' in lines
    data = json.loads(json.dumps(as_object(report)))
    kept = data["optimum"]["kept"]
    assert kept["choice"] == "optimal"
    assert kept["facts"]["on-chip work, quarter cycles"] == "816 → 256"
    assert not list(violations(data, SCHEMA, SCHEMA))


@pytest.mark.parametrize(
    ("path", "index", "expected", "because"),
    [
        ("loops", 0, "refined", "25% is required, as barriers rise from 1 to 4"),
        ("dots", 1, "heuristic", "the optimum saves no time, as traffic to DRAM takes 4032"),
        ("memory", 9, "optimal", "5% is required"),
    ],
)
def test_what_layouts_optimal_would_keep(path, index, expected, because):
    """The report says what a compile with the option decides."""
    case = load_cases(load_file(str(ROOT / "tests" / "oracle" / "kernels" / f"{path}.py")))[index]
    sides = [
        explain(
            case.kernel,
            target="cuda:90",
            signature=case.signature,
            constexprs=case.constexprs,
            trials=0,
            optimum=True,
            **{**case.options, "layouts": layouts},
        )
        for layouts in ("heuristic", "optimal")
    ]
    first, second = (each.optimum for each in sides)
    assert first is not None
    assert second is not None
    assert first.kept == second.kept
    assert first.kept is not None
    assert first.kept.choice == expected
    assert because in first.kept.reason
    costs = {"heuristic": first.weft, "refined": first.refined, "optimal": first.cost}
    assert second.weft == costs[expected]


def test_a_dump_is_judged_as_final(tmp_path):
    ((_, case),) = [each for each in cases(("vector_add",)) if each[0] == "vector_add-1"]
    compiled = compile(
        case.kernel, signature=case.signature, target="cuda:90", options=case.options
    )
    path = tmp_path / "add.ttgir"
    path.write_text(print_module(compiled.module("ttgir"), locations=True))
    optimum, own = explain(str(path), optimum=True).optimum, report_of("vector_add-1").optimum
    assert optimum is not None
    assert own is not None
    assert optimum.triton is None
    assert optimum.kept == own.kept


def test_nothing_is_kept_before_the_last_stage():
    optimum = report_of("vector_add-1", stop_after="layout").optimum
    assert optimum is not None
    assert optimum.kept is None
    assert not any("keeps" in line for line in optimum_lines(optimum))


def test_layouts_of_the_cpu_device_have_no_costs():
    from weft.explain.layout_optimum import find_optimum
    from weft.ir.text import parse_module

    module = parse_module(
        'module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cpu", '
        '"ttg.threads-per-warp" = 1 : i32} { tt.func public @k() { tt.return } }'
    )
    assert target("cpu").backend == "cpu"
    with pytest.raises(WeftError, match="on GPUs only"):
        find_optimum(module, None, None)
