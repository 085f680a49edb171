"""Each layout pass on Triton's IR before it, and the whole `layout` stage, a chip per kernel."""

from __future__ import annotations

import pytest

from tests.oracle import layout_passes
from tests.oracle.client import TritonError
from tests.oracle.corpus import LAYOUT_COMPILES, name
from tests.oracle.decisions import decision_of

pytestmark = pytest.mark.oracle

each_compile = pytest.mark.parametrize(
    "each", LAYOUT_COMPILES, ids=[name(*each) for each in LAYOUT_COMPILES]
)


def steps_of(triton, each):
    """List Triton's passes; skip a kernel that Triton does not compile for this chip."""
    try:
        return triton.steps(*each)
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")


@each_compile
def test_each_pass_is_tritons(triton, each):
    steps = list(layout_passes.layout_passes_of(steps_of(triton, each)))
    assert steps
    failures = []
    for step in steps:
        result = layout_passes.one_pass(triton, step)
        decision = decision_of(each, step.name)
        if decision and result:
            failures.append(f"{step.pipeline}: identical, so {decision} does not apply")
        elif not decision and not result:
            failures.append(f"{step.pipeline}: {result}")
    assert not failures, "\n".join(failures)


@each_compile
def test_the_stage_leaves_no_more_conversions_than_tritons(triton, each):
    steps = steps_of(triton, each)
    stage = layout_passes.stage(triton, each, steps)
    if any(decision_of(each, step.name) for step in layout_passes.layout_steps(steps)):
        assert not stage.comparison
        return
    assert not stage.weft.is_worse(stage.triton), f"{stage.weft} is worse than {stage.triton}"
    assert stage.comparison, str(stage.comparison)
