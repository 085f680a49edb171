"""Each TTIR pass on Triton's own IR before it, against Triton's IR after it."""

from __future__ import annotations

import pytest

from tests.oracle import weft_side
from tests.oracle.compare import compare
from tests.oracle.corpus import COMPILES, name

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_each_pass_is_tritons(triton, path, index, target):
    failures = []
    for step in triton.trace(path, index, target).steps[:-1]:
        if not weft_side.has_pass(step.name):
            assert step.before == step.after, f"weft has no {step.name}, which this kernel needs"
            continue
        ours = weft_side.run_passes(step.before, step.name)
        result = compare(triton.canonical(step.after), triton.canonical(ours))
        if not result:
            failures.append(f"{step.name}: {result}")
    assert not failures, "\n".join(failures)
