"""Warp specialization on Hopper on Triton's IR before it: the same operations.

Triton visits channels in the order of their addresses, so what it inserts at one place is in
another order in each run. Operations are counted, without the names of their values.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.oracle import weft_side
from tests.oracle.client import TritonError
from tests.oracle.corpus import KERNELS, name

pytestmark = pytest.mark.oracle

TARGET = "cuda:90"
COMPILES = [
    (path, index, TARGET) for path, index in KERNELS if path.stem == "warp_specialized_hopper"
][::3]


def operations(text: str) -> Counter[str]:
    """Count the lines of a text without the names of values."""
    return Counter(re.sub(r"%[\w#$.:-]+", "%", line).strip() for line in text.splitlines())


@pytest.mark.parametrize("each", COMPILES, ids=[name(*each) for each in COMPILES])
def test_operations_are_tritons(triton, each):
    try:
        steps = triton.steps(*each)
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    (step,) = (step for step in steps if step.name == "nvgpu-warp-specialization")
    actual = weft_side.run_passes(step.before, step.pipeline)
    assert operations(triton.canonical(actual)) == operations(triton.canonical(step.after))
