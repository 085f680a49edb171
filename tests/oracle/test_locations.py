"""Source locations and names of values: our TTIR and TTGIR of each case against Triton's dumps."""

from __future__ import annotations

import pytest

from tests.oracle.corpus import name
from tests.oracle.locations import LOCATED, compare_case

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(
    ("path", "index", "target"), LOCATED, ids=[name(*case) for case in LOCATED]
)
def test_names_and_locations_are_tritons(triton, path, index, target):
    comparison = compare_case(triton, path, index, target)
    if comparison is None:
        pytest.skip("Triton fails to compile it")
    assert comparison, str(comparison)
