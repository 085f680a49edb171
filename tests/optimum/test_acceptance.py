"""Layouts that save on-chip work are chosen if a program is likely to take less time."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.oracle.corpus import ROOT
from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.kernel.compile import compile
from weft.kernel.files import load_cases, load_file
from weft.optimum.acceptance import Totals, Verdict, measure_module
from weft.optimum.assignment import module_cost
from weft.targets import target

CHIP = target("cuda:90")
BEFORE = Totals(cost=1000, dram=600, atomics=0, requests=100, barriers=2)
KERNELS = ROOT / "tests" / "oracle" / "kernels"
DOTS, LOOPS, MEMORY = (KERNELS / f"{name}.py" for name in ("dots", "loops", "memory"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"cost": 900}, True),
        ({"cost": 960}, False),
        ({"cost": 900, "barriers": 3}, False),
        ({"cost": 700, "barriers": 3}, True),
        ({"cost": 900, "requests": 104}, True),
        ({"cost": 900, "requests": 120}, False),
        ({"cost": 700, "requests": 120}, True),
    ],
)
def test_the_gain_that_is_required(changes, expected):
    assert Verdict(BEFORE, structs.replace(BEFORE, **changes)).is_accepted == expected


def test_work_that_traffic_to_dram_hides():
    before = structs.replace(BEFORE, dram=990)
    verdict = Verdict(before, structs.replace(before, cost=500))
    assert (
        verdict.reason
        == "the optimum takes 990 quarter cycles instead of 1000, a gain of 1.0%; 5% is required"
    )
    assert not verdict.is_accepted


SAVING = "the optimum takes 800 quarter cycles instead of 1000, a gain of 25.0%; "
HIDDEN = "the optimum saves no time, as "


@pytest.mark.parametrize(
    ("before", "changes", "reason"),
    [
        ({}, {}, f"{SAVING}5% is required"),
        ({}, {"barriers": 3}, f"{SAVING}25% is required, as barriers rise from 2 to 3"),
        ({}, {"requests": 120}, f"{SAVING}25% is required, as requests rise from 100 to 120"),
        ({"dram": 1200}, {}, f"{HIDDEN}traffic to DRAM takes 1200 quarter cycles; 5% is required"),
        ({"atomics": 1200}, {}, f"{HIDDEN}atomics in L2 take 1200 quarter cycles; 5% is required"),
    ],
)
def test_the_reason_says_the_rule_with_its_numbers(before, changes, reason):
    first = structs.replace(BEFORE, **before)
    assert Verdict(first, structs.replace(first, cost=800, **changes)).reason == reason


def test_the_totals_of_a_module():
    """A tile of 64x64 f16 has 256 sectors of 32 bytes; two of them are moved."""
    text = """
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], \
order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", \
"ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copy(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : \
tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : \
tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %ii = tt.expand_dims %i {axis = 1 : i32} : \
tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %jj = tt.expand_dims %j {axis = 0 : i32} : \
tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %c = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %row = arith.muli %ii, %c : tensor<64x1xi32, #blocked>
    %a = tt.broadcast %row : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %b = tt.broadcast %jj : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %o = arith.addi %a, %b : tensor<64x64xi32, #blocked>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %p, %o : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %v = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.store %q, %v : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
"""
    module = parse_module(text)
    totals = measure_module(module, CHIP)
    assert totals.dram == 2 * 256 * 6
    assert totals.requests == 2 * 4 * 4
    assert totals.barriers == 0
    assert totals.cost == module_cost(module, CHIP)


def compiled(path, index: int, layouts: str):
    case = load_cases(load_file(str(path)))[index]
    return compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target="cuda:90",
        stop_after="ttgir",
        options={**case.options, "layouts": layouts},
    ).module("ttgir")


def test_work_that_atomics_in_l2_hide():
    """Four atomics of 16x64 elements take longer than what the optimum saves."""
    pytest.importorskip("highspy")
    heuristic, optimal = (compiled(MEMORY, 15, each) for each in ("heuristic", "optimal"))
    assert measure_module(heuristic, CHIP).atomics == 4 * 16 * 64 * 8
    assert print_module(heuristic) == print_module(optimal)


def test_layouts_that_are_not_worthwhile_are_restored():
    """The optimum of this kernel removes a conversion, and reads half as many bytes per request."""
    pytest.importorskip("highspy")
    texts = [print_module(compiled(DOTS, 1, each)) for each in ("heuristic", "optimal")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("path", "index", "expected"),
    [(LOOPS, 0, "refined"), (DOTS, 1, "heuristic"), (MEMORY, 9, "optimal")],
)
def test_the_layouts_that_are_kept(path, index, expected):
    """Where the optimum is refused, accesses are narrowed as with "refined"."""
    pytest.importorskip("highspy")
    with collecting() as ledger:
        module = compiled(path, index, "optimal")
    (decision,) = [each for each in ledger if each.stage == "weft-assign-layouts"]
    assert decision.choice == expected
    assert ("narrow masked accesses cost" in decision.reason) == (expected == "refined")
    assert [name for name, _ in decision.facts][-2:] == ["requests to global memory", "barriers"]
    if expected != "optimal":
        assert print_module(module) == print_module(compiled(path, index, expected))
