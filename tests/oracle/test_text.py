"""IR text: what Triton prints is read and printed back byte for byte."""

from __future__ import annotations

import pytest

from tests.oracle.corpus import COMPILES, name
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize(("path", "index", "target"), COMPILES, ids=[name(*c) for c in COMPILES])
def test_round_trip(triton, path, index, target):
    trace = triton.trace(path, index, target)
    for text in (trace.front, trace.ttir, trace.conversion.after):
        module = parse_module(text)
        verify(module)
        assert print_module(module) == text
