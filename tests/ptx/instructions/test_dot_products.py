"""dp4a and dp2a."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.run_ptx import run, words
from weft.errors import CodegenError
from weft.ptx import read


def signed(value: int) -> int:
    """Interpret the low 32 bits of a number as signed."""
    return (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def run_one(text: str, *values: int) -> int:
    """Run assembly on one word per input."""
    return int(run(text, np.uint32, *(words(value) for value in values))[0])


def test_dot_products():
    a, b = 0x01FF0280, 0x02030405
    assert run_one("dp4a.u32.u32 $0, $1, $2, 10;", a, b) == 2 + 255 * 3 + 2 * 4 + 128 * 5 + 10
    assert signed(run_one("dp4a.s32.s32 $0, $1, $2, 10;", a, b)) == 2 - 3 + 8 - 128 * 5 + 10
    assert signed(run_one("dp4a.s32.u32 $0, $1, $2, 0;", a, 0xFF)) == -128 * 255
    assert run_one("dp2a.lo.u32.u32 $0, $1, $2, 0;", 0x00020003, b) == 3 * 5 + 2 * 4
    assert run_one("dp2a.hi.u32.u32 $0, $1, $2, 0;", 0x00020003, b) == 3 * 3 + 2 * 2


@pytest.mark.parametrize(
    ("name", "message"),
    [("dp4a.u32", "this form of dp4a is not supported"), ("dp2a.u32.u32", "needs the modifier")],
)
def test_unsupported_forms(name, message):
    with pytest.raises(CodegenError, match=message):
        read(f"{name} $0, $1, $1, $1;", "=r,r")
