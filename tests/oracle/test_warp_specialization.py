"""Warp specialization on Hopper on Triton's IR before it."""

from __future__ import annotations

import pytest

from tests.oracle.client import TritonError
from tests.oracle.corpus import KERNELS, is_for, name
from tests.oracle.decisions import decision_of
from tests.oracle.layout_passes import one_pass

pytestmark = pytest.mark.oracle

TARGET = "cuda:90"
COMPILES = [
    (path, index, TARGET)
    for path, index in KERNELS
    if path.stem == "warp_specialized" and is_for(path, index, TARGET)
][::3]


@pytest.mark.parametrize("each", COMPILES, ids=[name(*each) for each in COMPILES])
def test_the_pass_is_tritons(triton, each):
    try:
        steps = triton.steps(*each)
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    (step,) = (step for step in steps if step.name == "nvgpu-warp-specialization")
    result = one_pass(triton, step)
    if decision_of(each, step.name) is None:
        assert result, str(result)
    else:
        assert not result, "the decision about this kernel is no longer true"
