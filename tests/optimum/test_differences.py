"""The differences of two assignments add up to the difference of their costs."""

from __future__ import annotations

import pytest

from tests.optimum.programs import cases, module_of, module_of_text
from tests.optimum.test_assignment import MASKED_COPY, POINTERS
from weft.kernel.files import Case
from weft.targets import target

pytest.importorskip("highspy")

from weft.optimum import optimize  # needs highspy
from weft.optimum.costs import OperationCosts
from weft.optimum.differences import differences

CASES = [
    pytest.param(case, chip, id=f"{name}-{chip}")
    for name, case in cases(("vector_add", "transpose", "layer_norm_backward"))
    for chip in ("cuda:80", "hip:gfx942")
]


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_differences_add_up(case: Case, chip: str):
    module = module_of(case, chip, "final")
    optimum = optimize(module, target(chip))
    costs = OperationCosts.of(module, target(chip))
    entries = [each for function in optimum.functions for each in differences(function, costs)]
    savings = sum(each.cost_before - each.cost_after for each in entries)
    assert savings == optimum.current - optimum.cost


def test_an_access_has_its_layouts_on_both_sides():
    module = module_of_text(f"{POINTERS}, %n: i32", MASKED_COPY)
    (function,) = optimize(module, target("cuda:80")).functions
    entries = differences(function, OperationCosts.of(module, target("cuda:80")))
    (store,) = (each for each in entries if each.op.name == "tt.store")
    (before,), (after,) = store.layouts_before, store.layouts_after
    assert "sizePerThread = [4]" in str(before)
    assert "sizePerThread = [1]" in str(after)
    assert store.value is None
    assert store.cost_after < store.cost_before
