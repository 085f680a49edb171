"""Triton's final TTGIR, lowered and run lane by lane, beside the interpreter: a sample."""

from __future__ import annotations

from functools import partial

import pytest

from tests.oracle.corpus import name
from tests.oracle.lowered import Unsuitable, check, compiles, from_triton

pytestmark = pytest.mark.oracle

SAMPLE = compiles("", "")[::41]  # no multiple of the chips, so that each is met


@pytest.mark.parametrize("each", SAMPLE, ids=[name(*each) for each in SAMPLE])
def test_what_triton_made_computes_what_the_kernel_says(triton, each):
    try:
        said = check(partial(from_triton, triton, each))
    except Unsuitable as problem:
        pytest.skip(str(problem))
    assert not said
