"""Each loop pass on Triton's IR before it, at 1 to 5 stages, for some kernels."""

from __future__ import annotations

import pytest

from tests.oracle import loop_passes
from tests.oracle.client import TritonError
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from tests.oracle.decisions import decision_of

pytestmark = pytest.mark.oracle

TARGETS = ("cuda:80", "cuda:90")
COMPILES = [
    (path, index, target)
    for target in TARGETS
    for path, index in EXAMPLES + KERNELS
    if is_for(path, index, target)
][::7]


@pytest.mark.parametrize("each", COMPILES, ids=[name(*each) for each in COMPILES])
def test_each_pass_is_tritons(triton, each):
    try:
        steps = list(loop_passes.loop_passes_of(triton, each))
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    results = [
        (label, step.name, loop_passes.one_pass(triton, step))
        for label, step in steps
        if decision_of(each, step.name) is None
    ]
    failures = [f"{label}, {step}: {result}" for label, step, result in results if not result]
    assert not failures, "\n".join(failures)
