"""weft-narrow-masked-accesses never raises the counted cost, and keeps the meaning."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.comparing import require_meaning
from tests.optimum.programs import CHIPS, cases, module_of, module_of_text
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import clone
from weft.ir.verifier import verify
from weft.kernel.files import Case
from weft.optimum.assignment import module_cost
from weft.passes.ttgir.narrow_masked_accesses import NarrowMaskedAccesses
from weft.targets import target

ALL = (
    *("vector_add", "softmax", "transpose", "histogram", "layer_norm", "layer_norm_backward"),
    *("rotary_embedding", "cross_entropy", "prefix_scan", "matmul", "attention"),
)
CASES = [
    pytest.param(case, chip, id=f"{name}-{chip}")
    for number, (name, case) in enumerate(cases(ALL))
    for chip in (CHIPS[number % len(CHIPS)],)
]


def refined(module: ModuleOp) -> ModuleOp:
    copy = clone(module, {})
    assert isinstance(copy, ModuleOp)
    NarrowMaskedAccesses().run(copy)
    verify(copy)
    return copy


@pytest.mark.parametrize(("case", "chip"), CASES)
def test_the_cost_of_an_example_never_rises(case: Case, chip: str):
    module = module_of(case, chip, "final")
    assert module_cost(refined(module), target(chip)) <= module_cost(module, target(chip))


def test_a_split_access_costs_less():
    ((_, case),) = [each for each in cases(("vector_add",)) if each[0] == "vector_add-1"]
    module = module_of(case, "cuda:90", "final")
    assert module_cost(refined(module), target("cuda:90")) < module_cost(module, target("cuda:90"))


@pytest.mark.parametrize("chip", CHIPS)
def test_a_refined_kernel_means_the_same(chip: str):
    ((_, case),) = [each for each in cases(("vector_add",)) if each[0] == "vector_add-1"]
    module = module_of(case, chip, "final")
    require_meaning(module, refined(module), tolerance=2e-2)


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(["f16", "f32", "i8"]),
    st.sampled_from([None, 2, 4, 16]),
    st.sampled_from([None, 4, 16]),
    st.booleans(),
)
def test_the_cost_of_masked_copies_never_rises(
    element: str, of_bound: int | None, of_pointer: int | None, converted: bool
):
    """Masks of each divisibility, aligned or not, stored in the same layout or in another one."""

    def hint(divisibility: int | None) -> str:
        return f" {{tt.divisibility = {divisibility} : i32}}" if divisibility else ""

    pointer, data = f"tensor<1024x!tt.ptr<{element}>, #line>", f"tensor<1024x{element}, #line>"
    other = (
        "#ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
    )
    store = f"    tt.store %p, %v, %m : {pointer}\n"
    if converted:
        wide_pointer, wide = (each.replace("#line", other) for each in (pointer, data))
        store = f"""
    %vw = ttg.convert_layout %v : {data} -> {wide}
    %pw = ttg.convert_layout %p : {pointer} -> {wide_pointer}
    tt.store %pw, %vw : {wide_pointer}
"""
    module = module_of_text(
        f"%x: !tt.ptr<{element}>{hint(of_pointer)}, %n: i32{hint(of_bound)}",
        f"""
    %r = tt.make_range {{end = 1024 : i32, start = 0 : i32}} : tensor<1024xi32, #line>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #line>
    %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #line>
    %xs = tt.splat %x : !tt.ptr<{element}> -> {pointer}
    %p = tt.addptr %xs, %r : {pointer}, tensor<1024xi32, #line>
    %v = tt.load %p, %m : {pointer}
{store}""",
    )
    chip = target("cuda:80")
    assert module_cost(refined(module), chip) <= module_cost(module, chip)
