"""The front end alone, and with the TTIR passes: our TTIR of each case against Triton's."""

from __future__ import annotations

import pytest

from tests.oracle import weft_side
from tests.oracle.compare import compare
from tests.oracle.corpus import COMPILES, name

pytestmark = pytest.mark.oracle


each_compile = pytest.mark.parametrize(
    ("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES]
)


@each_compile
def test_front_end_is_tritons(triton, path, index, target):
    # Directly after the front end they differ: Triton's emits dead code for its passes to remove.
    expected = triton.canonical(triton.trace(path, index, target).ttir)
    ours = triton.make_ttir(weft_side.stage(path, index, target, "source"), target)
    result = compare(expected, triton.canonical(ours))
    assert result, str(result)


@each_compile
def test_ttir_is_tritons(triton, path, index, target):
    expected = triton.canonical(triton.trace(path, index, target).ttir)
    ours = weft_side.stage(path, index, target, "ttir")
    result = compare(expected, triton.canonical(ours))
    assert result, str(result)
