"""Reports of modules: reasons that are derived from the IR."""

from __future__ import annotations

import pytest

from tests.explain.modules import module_of
from weft.errors import UnknownTargetError
from weft.explain.module_report import build_report

BODY = """
    %o = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line> loc("o"("k.py":1:0))
    %p0 = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #line> loc("p0"("k.py":2:0))
    %p = tt.addptr %p0, %o : tensor<128x!tt.ptr<i32>, #line>, tensor<128xi32, #line> loc("p"("k.py":3:0))
    %v = tt.load %p : tensor<128x!tt.ptr<i32>, #line> loc("v"("k.py":4:0))
    %w = arith.addi %v, %v : tensor<128xi32, #line> loc("w"("k.py":5:0))
    %n = ttg.convert_layout %w : tensor<128xi32, #line> -> tensor<128xi32, #narrow> loc("n"("k.py":6:0))
    %q0 = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #narrow> loc("q"("k.py":7:0))
    tt.store %q0, %n : tensor<128x!tt.ptr<i32>, #narrow> loc("k.py":8:0)
    %u = ttg.convert_layout %w : tensor<128xi32, #line> -> tensor<128xi32, #narrow> loc("u"("k.py":9:0))
    %c = arith.constant dense<0> : tensor<128xi32, #line> loc("c"("k.py":10:0))
    %d = arith.xori %c, %c : tensor<128xi32, #line> loc("d"("k.py":11:0))
    %e = arith.addi %a, %a : tensor<128xi32, #line> loc("e"("k.py":12:0))"""  # noqa: E501

REASONS = {
    "%o": "computed in this layout for tt.load %p at line 4",
    "%p": "computed in this layout for tt.load %p at line 4",
    "%v": "tt.load determines this layout",
    "%w": "follows tt.load %v at line 4",
    "%n": "converted for tt.store %n at line 8",
    "%q": "computed in this layout for tt.store %q at line 8",
    "%u": "converted, for no anchor",
    "%c": "follows arith.constant %c at line 10",
    "%d": "follows arith.constant %c at line 10",
    "%e": "no operation in the IR needs this layout",
}


@pytest.fixture(scope="module")
def report():
    return build_report(module_of(BODY, "%x: !tt.ptr<i32>, %a: tensor<128xi32, #line>"))


def test_reasons_from_the_ir(report):
    reasons = {value.name: value.reason for value in report.values}
    assert {name: reasons[name] for name in REASONS} == REASONS
    assert {value.history[0].stage for value in report.values} == {"the IR"}


def test_launch_and_layouts(report):
    assert (report.kernel, report.target, report.num_warps, report.lanes) == (
        "kernel",
        "cuda:90",
        4,
        32,
    )
    assert [name for name, _ in report.layouts] == ["#blocked", "#blocked1"]
    assert report.layouts[0][1].startswith("#ttg.blocked<{sizePerThread = [4]")


def test_entries_are_ranked(report):
    assert [conversion.value for conversion in report.conversions] == ["%n", "%u"]
    assert [access.op for access in report.memory] == ["tt.load", "tt.store"]
    assert report.shared == report.dots == ()
    costs = [finding.cost for finding in report.findings]
    assert costs == sorted(costs, reverse=True)


def test_an_unknown_target():
    with pytest.raises(UnknownTargetError):
        build_report(module_of(BODY, "%x: !tt.ptr<i32>, %a: tensor<128xi32, #line>", "cuda:1"))
