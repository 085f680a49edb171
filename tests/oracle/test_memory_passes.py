"""Passes that allocate warps and memory, and place fences, on Triton's IR before them.

An equal text is an equal offset of every buffer, and an equal size of shared memory.
"""

from __future__ import annotations

import re

import pytest

from tests.oracle import loop_passes
from tests.oracle.client import Step, TritonError
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from weft.codegen.lowering.kernel_shared_memory import shared_bytes
from weft.errors import CodegenError
from weft.ir.text import parse_module

pytestmark = pytest.mark.oracle

_SHARED = re.compile(r"ttg\.shared = (\d+)")
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
    assert_code_generation_needs_no_more(steps)


def assert_code_generation_needs_no_more(steps: tuple[Step, ...]) -> None:
    """Check the shared memory of weft's code generation, which allocates afresh."""
    try:
        own = shared_bytes(parse_module(steps[0].before))
    except CodegenError:
        return  # IR that the code generation does not lower before later passes
    sizes = [int(match[1]) for step in steps if (match := _SHARED.search(step.after))]
    if own is not None and sizes:
        assert own <= sizes[0]
