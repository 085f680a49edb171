"""Transposing loads of packed fp4."""

from __future__ import annotations

import pytest

from tests.codegen.dot_texts import mfma
from tests.codegen.lowering.amd.test_local_load_packed import text
from weft.analysis.axis_info import axis_info
from weft.codegen import lower
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.lowering_plans.operations import PlanContext, operation_instructions
from weft.targets import target


@pytest.mark.parametrize("operand", [0, 1])
def test_the_plan_counts_the_loads_of_the_code(operand):
    order = "[1, 0]" if operand else "[0, 1]"
    source = text("gfx950", operand, mfma(4, (32, 32, 64)), order)
    module = parse_module(source)
    load = next(op for op in walk(module) if op.name == "amdg.local_load_packed_tranposed")
    context = PlanContext(target("hip:gfx950"), axis_info(module))
    (plan,) = operation_instructions(load, context)
    assert (plan.kind, plan.bits, plan.warps) == ("matrix load", 64, 2)
    calls = lower(parse_module(source)).text.count("= call <2 x i32> @llvm.amdgcn.ds.read.tr4.b64")
    assert plan.count == calls > 0
