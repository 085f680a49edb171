"""A rewritten module is valid, costs what the solution says, and means the same."""

from __future__ import annotations

import pytest

from tests.codegen.comparing import require_meaning
from tests.optimum.programs import CHIPS, cases, module_of, module_of_text
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.ir.verifier import verify
from weft.kernel.files import Case
from weft.targets import target

pytest.importorskip("highspy")

from weft.optimum import module_cost, optimize, rewrite  # needs highspy

CASES = [
    pytest.param(case, chip, id=f"{name}-{chip}", marks=() if by_default else pytest.mark.slow)
    for number, (name, case) in enumerate(cases())
    for position, chip in enumerate(CHIPS)
    for by_default in (position == (number + 1) % len(CHIPS),)
]


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_a_rewritten_module_has_the_cost_of_the_solution(case: Case, chip: str):
    module = module_of(case, chip)
    optimum = optimize(module, target(chip))
    for function in optimum.functions:
        rewrite(function)
    verify(module)
    assert module_cost(module, target(chip)) == optimum.cost


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_a_rewritten_module_means_the_same(case: Case, chip: str):
    """The interpreter runs the module before, the simulator what is lowered after."""
    module = module_of(case, chip, "final")
    before = clone(module, {})
    assert isinstance(before, ModuleOp)
    optimum = optimize(module, target(chip))
    for function in optimum.functions:
        rewrite(function)
    wide = "16" not in str(case.signature)
    require_meaning(before, module, tolerance=1e-5 if wide else 2e-2)


def test_two_buffers_of_one_value_stay():
    """Equal tensors are one value, but each buffer has different uses."""
    shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>"
    memory = f"!ttg.memdesc<1024xf32, {shared}, #ttg.shared_memory>"
    tensor, pointers = "tensor<1024xf32, #line>", "tensor<1024x!tt.ptr<f32>, #line>"
    module = module_of_text(
        "%x: !tt.ptr<f32>, %n: i32",
        f"""
    %r = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : tensor<1024xi32, #line>
    %xs = tt.splat %x : !tt.ptr<f32> -> {pointers}
    %p = tt.addptr %xs, %r : {pointers}, tensor<1024xi32, #line>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #line>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #line>
    %v = tt.load %p, %m : {pointers}
    %b0 = ttg.local_alloc %v : ({tensor}) -> {memory}
    %b1 = ttg.local_alloc %v : ({tensor}) -> {memory}
    %l0 = ttg.local_load %b0 : {memory} -> {tensor}
    %l1 = ttg.local_load %b1 : {memory} -> {tensor}
    %s = arith.addf %l0, %l1 : {tensor}
    tt.store %p, %s, %m : {pointers}
""",
    )
    optimum = optimize(module, target("cuda:80"))
    for function in optimum.functions:
        rewrite(function)
    verify(module)
    assert sum(op.name == "ttg.local_alloc" for op in module.walk()) == 2
    assert module_cost(module, target("cuda:80")) == optimum.cost
