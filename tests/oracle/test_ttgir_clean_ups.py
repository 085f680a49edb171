"""The passes that tidy up between TTGIR passes, on Triton's own IR before them."""

from __future__ import annotations

import pytest

from tests.oracle import parity
from tests.oracle.corpus import COMPILES, name

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_each_clean_up_is_tritons(triton, path, index, target):
    results = [
        (step.name, parity.clean_up(triton, step)) for step in triton.clean_ups(path, index, target)
    ]
    assert results
    failures = [f"{name}: {result}" for name, result in results if not result]
    assert not failures, "\n".join(failures)
