"""Final TTGIR from Triton's TTIR and from Python source, at varied options, for some kernels."""

from __future__ import annotations

import pytest

from tests.oracle.corpus import EXAMPLES, KERNELS
from tests.oracle.whole_pipelines import Refused, compare_whole, variants_of

pytestmark = pytest.mark.oracle

# The step is prime to the number of variants: successive kernels have different options.
KINDS = ("own options", "other options")
COMPILES = [
    whole
    for target in ("cuda:70", "cuda:75", "cuda:80", "cuda:90")
    for whole in variants_of(EXAMPLES + KERNELS, target, every=29)
    if whole.kind in KINDS and not whole.decision
]


@pytest.mark.parametrize("whole", COMPILES, ids=[str(each) for each in COMPILES])
def test_final_ttgir_is_tritons(triton, whole):
    try:
        from_ttir, from_source = compare_whole(triton, whole)
    except Refused as error:
        pytest.skip(f"Triton refuses it: {str(error)[:80]}")
    assert from_ttir, str(from_ttir)
    assert from_source, str(from_source)
