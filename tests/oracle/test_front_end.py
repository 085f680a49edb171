"""The front end and the TTIR passes: our TTIR of each example against Triton's."""

from __future__ import annotations

import pytest

from tests.oracle import weft_side
from tests.oracle.compare import compare
from tests.oracle.corpus import COMPILES, name

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_ttir_is_tritons(triton, path, index, target):
    expected = triton.canonical(triton.trace(path, index, target).ttir)
    result = compare(expected, triton.canonical(weft_side.ttir(path, index, target)))
    assert result, str(result)
