"""A sample of Triton's final TTGIR: the simulator computes what the interpreter computes."""

from __future__ import annotations

from functools import partial

import pytest

from tests.oracle.corpus import name
from tests.oracle.decisions import decision_of
from tests.oracle.lowered import Unsuitable, check, compiles, from_triton

pytestmark = pytest.mark.oracle

SAMPLE = compiles("", "")[::41]  # coprime to the number of chips: covers each


@pytest.mark.parametrize("each", SAMPLE, ids=[name(*each) for each in SAMPLE])
def test_lowered_ttgir_of_triton_matches_the_interpreter(triton, each):
    decision = decision_of(each) or ""
    if "/019:" in decision:
        pytest.skip(f"Triton's IR computes something else: {decision}")
    try:
        difference = check(partial(from_triton, triton, each))
    except Unsuitable as problem:
        pytest.skip(str(problem))
    assert not difference
