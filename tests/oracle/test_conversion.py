"""convert-triton-to-tritongpu: Triton's TTIR through our pass and through Triton's."""

from __future__ import annotations

import pytest

from tests.oracle import weft_side
from tests.oracle.compare import compare
from tests.oracle.corpus import COMPILES, name

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_conversion_is_tritons(triton, path, index, target):
    step = triton.trace(path, index, target).conversion
    ours = weft_side.run_passes(step.before, step.pipeline)
    result = compare(triton.canonical(step.after), triton.canonical(ours))
    assert result, str(result)
