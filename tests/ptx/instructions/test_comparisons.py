"""setp, selp, slct and testp."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.run_ptx import floats, run, words
from weft.errors import CodegenError
from weft.ptx import read


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ("lt", "1000"),
        ("ltu", "1001"),
        ("ne", "1100"),
        ("neu", "1101"),
        ("nan", "0001"),
        ("num", "1110"),
    ],
)
def test_comparisons(comparison, expected):
    text = f"{{.reg .pred p; setp.{comparison}.f32 p, $1, $2; selp.b32 $0, 1, 0, p;}}"
    a, b = floats(1, 3, 2, np.nan), floats(2, 2, 2, 2)
    assert "".join(map(str, run(text, np.uint32, a, b))) == expected


def test_predicates_are_combined():
    text = """{
        .reg .pred p, q;
        setp.hi.u32 p, $1, 5;          // as unsigned
        setp.lt.and.s32 q, $1, 0, p;   /* both */
        selp.b32 $0, 7, 9, q;
        @!p mov.b32 $0, 1;
    }"""
    assert run(text, np.uint32, words(0xFFFFFFFF, 9, 3)).tolist() == [7, 9, 1]
    text = "{.reg .pred p; setp.ge.s32 p, $1, 0; selp.b32 $0, 1, 0, !p;}"
    with pytest.raises(CodegenError, match="operand"):
        read(text.replace("!p", "$9"), "=r,r")
    text = "{.reg .pred p; testp.infinite.f32 p, $1; selp.b32 $0, 1, 0, p;}"
    assert run(text, np.uint32, floats(1, np.inf)).tolist() == [0, 1]
    text = "slct.b32.s32 $0, 1, 2, $1;"
    assert run(text, np.uint32, words(3, 0xFFFFFFFF)).tolist() == [1, 2]


def test_ftz():
    tiny, zero = np.array([1], np.uint32).view(np.float32), floats(0.0)
    for flush, expected in (("", 7), (".ftz", 9)):
        text = f"{{.reg .pred p; setp.gt{flush}.f32 p, $1, $2; selp.b32 $0, 7, 9, p;}}"
        assert run(text, np.uint32, tiny, zero).tolist() == [expected]
        text = f"slct{flush}.b32.f32 $0, 7, 9, $1;"
        assert run(text, np.uint32, -tiny).tolist() == [9 if not flush else 7]


@pytest.mark.parametrize(
    "text", ["setp.f32 $0, $1, $1;", "slct.b32.f16 $0, $1, $1, $1;", "testp.f32 $0, $1;"]
)
def test_unsupported_forms(text):
    with pytest.raises(CodegenError, match=r"this form of (setp|slct|testp) is not supported"):
        read(text, "=b,r")
