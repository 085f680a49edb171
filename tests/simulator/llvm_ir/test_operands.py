"""Operands: names and literals."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.types import Type


@pytest.mark.parametrize(
    ("text", "type_", "expected"),
    [
        ("7", Type("i32"), [7]),
        ("255", Type("i8"), [-1]),
        ("true", Type("i1"), [True]),
        ("0xH3C00", Type("half"), [1.0]),
        ("0xR3F80", Type("bfloat"), [1.0]),
        ("0x3FF8000000000000", Type("float"), [1.5]),
        ("zeroinitializer", Type("i32", 2), [[0, 0]]),
        ("<i32 1, i32 2>", Type("i32", 2), [[1, 2]]),
        ("@shared", Type("ptr", 0, 3), [0]),
    ],
)
def test_literals(text, type_, expected):
    value = parse_operand(text, type_)
    assert isinstance(value, np.ndarray)
    assert value.tolist() == expected


def test_names():
    assert parse_operand("%v1", Type("i32")) == "%v1"
    assert parse_operand("@text.0", Type("ptr")) == "@text.0"


def test_neither():
    with pytest.raises(CodegenError, match="cannot read this operand"):
        parse_operand("ten", Type("i32"))
