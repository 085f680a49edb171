"""Each loop pass on Triton's IR before it, at 1 to 5 stages, for some kernels on each chip."""

from __future__ import annotations

import pytest

from tests.oracle import loop_passes
from tests.oracle.client import TritonError
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from tests.oracle.decisions import decision_of
from tests.oracle.layout_passes import Compile

pytestmark = pytest.mark.oracle

TARGETS = (
    *("cuda:80", "cuda:90", "cuda:100"),
    *("hip:gfx942", "hip:gfx950", "hip:gfx1201", "hip:gfx1250"),
)
_EVERY = 17


def _sampled() -> list[Compile]:
    """List a part of all compiles: as many for each target, of other kernels."""
    compiles: list[Compile] = []
    for number, target in enumerate(TARGETS):
        every = [(*case, target) for case in EXAMPLES + KERNELS if is_for(*case, target)]
        compiles += every[number * _EVERY // len(TARGETS) :: _EVERY]
    return compiles


COMPILES = _sampled()


def test_the_sample_has_each_target():
    counts = [sum(target == each for *_, target in COMPILES) for each in TARGETS]
    assert min(counts) >= 12


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
