"""Each layout pass on Triton's IR before it, and the whole `layout` stage, a chip per kernel."""

from __future__ import annotations

import pytest

from tests.oracle import layout_passes
from tests.oracle.client import TritonError
from tests.oracle.corpus import LAYOUT_COMPILES, name

pytestmark = pytest.mark.oracle

each_compile = pytest.mark.parametrize(
    "each", LAYOUT_COMPILES, ids=[name(*each) for each in LAYOUT_COMPILES]
)


def steps_of(triton, each):
    """Return Triton's passes; a kernel that they refuse for this chip has none to compare."""
    try:
        return triton.steps(*each)
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")


@each_compile
def test_each_pass_is_tritons(triton, each):
    results = [
        (step.pipeline, layout_passes.one_pass(triton, step))
        for step in layout_passes.layout_passes_of(steps_of(triton, each))
    ]
    assert results
    failures = [f"{pipeline}: {result}" for pipeline, result in results if not result]
    assert not failures, "\n".join(failures)


@each_compile
def test_the_stage_leaves_no_more_conversions_than_tritons(triton, each):
    found = layout_passes.stage(triton, each, steps_of(triton, each))
    assert not found.weft.is_worse(found.triton), f"{found.weft} is worse than {found.triton}"
    assert found.comparison, str(found.comparison)
