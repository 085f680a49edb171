"""The optimum of every quick example on four chips: feasible, no worse, and counted correctly."""

from __future__ import annotations

import pytest

from tests.optimum.programs import CHIPS, cases, module_of, module_of_text
from weft.kernel.files import Case
from weft.targets import target

pytest.importorskip("highspy")

from weft.optimum import module_cost, optimize  # needs highspy

CASES = [
    pytest.param(case, chip, id=f"{name}-{chip}")
    for number, (name, case) in enumerate(cases())
    for chip in (CHIPS[number % len(CHIPS)],)
]
MASKED_COPY = """
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #line>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #line>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #line>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
    %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>, #line>, tensor<1024xi32, #line>
    tt.store %q, %v, %m : tensor<1024x!tt.ptr<f32>, #line>
"""
POINTERS = (
    "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}"
)


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_the_optimum_is_no_worse_than_the_heuristics(case: Case, chip: str):
    module = module_of(case, chip)
    optimum = optimize(module, target(chip))
    assert optimum.bound <= optimum.cost <= optimum.current
    assert optimum.current == module_cost(module, target(chip))


def test_a_mask_that_splits_accesses_makes_them_one_element_wide():
    """With 4 elements per thread, each of 4 accesses touches 16 sectors instead of 4."""
    module = module_of_text(f"{POINTERS}, %n: i32", MASKED_COPY)
    optimum = optimize(module, target("cuda:80"))
    assert optimum.is_optimal
    assert optimum.gap > 1


def test_a_mask_of_whole_vectors_leaves_accesses_wide():
    arguments = f"{POINTERS}, %n: i32 {{tt.divisibility = 16 : i32}}"
    optimum = optimize(module_of_text(arguments, MASKED_COPY), target("cuda:80"))
    assert optimum.is_optimal
    assert optimum.gap == 0


def test_a_function_with_several_blocks_keeps_its_cost():
    body = MASKED_COPY + "    cf.br ^end\n  ^end:"
    optimum = optimize(module_of_text(f"{POINTERS}, %n: i32", body), target("cuda:80"))
    assert not optimum.functions
    assert optimum.current == optimum.cost == optimum.bound > 0
