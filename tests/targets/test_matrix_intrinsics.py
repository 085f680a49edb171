"""How matrix intrinsics are called, and the small floats that they accept."""

from __future__ import annotations

import pytest

from weft.errors import WeftError
from weft.targets.matrix_intrinsics import MatrixCall, SmallFloat, read_calls, read_formats

SOURCES = {"llvm": "LLVM"}
CALL = {"arguments": ["a", "b", "c", "i1 0"], "overloaded": ["c"], "source": "llvm"}


def test_calls():
    expected = MatrixCall(("a", "b", "c", "i1 0"), ("c",))
    assert read_calls("f", {"wmma": CALL}, SOURCES) == {"wmma": expected}


def test_formats():
    row = {"name": "e4m3", "number": 0, "bits": 8, "source": "llvm"}
    assert read_formats("f", [row], SOURCES) == (SmallFloat("e4m3", 0, 8, "llvm"),)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (CALL | {"arguments": ["a", "i9 0"]}, "call wmma: unknown argument i9 0"),
        (CALL | {"overloaded": ["i1 0"]}, "call wmma: i1 0 is not an operand"),
        (CALL | {"source": "x"}, "source that is not listed"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(WeftError, match=message):
        read_calls("f", {"wmma": call}, SOURCES)
