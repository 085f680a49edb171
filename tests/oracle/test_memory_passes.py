"""Passes that allocate warps and memory, and place fences, on Triton's IR before them.

An equal text is an equal offset of every buffer, and an equal size of shared memory.
"""

from __future__ import annotations

import pytest

from tests.oracle import loop_passes
from tests.oracle.client import TritonError
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name

pytestmark = pytest.mark.oracle

TARGETS = ("cuda:90", "cuda:100", "cuda:80", "hip:gfx942", "hip:gfx950", "hip:gfx1250")
COMPILES = [
    (path, index, target)
    for target in TARGETS
    for path, index in EXAMPLES + KERNELS
    if is_for(path, index, target)
][::11]


@pytest.mark.parametrize("each", COMPILES, ids=[name(*each) for each in COMPILES])
def test_each_pass_is_tritons(triton, each):
    try:
        steps = triton.memory_steps(*each)
    except TritonError as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    results = [(step.name, loop_passes.one_pass(triton, step)) for step in steps]
    failures = [f"{step}: {result}" for step, result in results if not result]
    assert not failures, "\n".join(failures)
