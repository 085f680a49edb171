"""Types of LLVM IR, and their sizes."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type


@pytest.mark.parametrize(
    ("text", "type_", "rest"),
    [
        ("float %x", Type("float"), "%x"),
        ("<4 x half> %v", Type("half", 4), "%v"),
        ("ptr addrspace(3) %p", Type("ptr", 0, 3), "%p"),
        ("{ i32, i1 } %s", Type("struct", members=(Type("i32"), Type("i1"))), "%s"),
    ],
)
def test_parse(text, type_, rest):
    assert parse_type(text) == (type_, rest)


def test_sizes():
    assert Type("half", 4).size == 8
    assert Type("ptr").size == 8
    assert Type("ptr", 0, 3).size == 4
    assert Type("i1").bits_each == 1
    assert dtype_of(Type("bfloat")).itemsize == 2
    assert dtype_of(Type("i128")) == np.object_


def test_an_unsupported_width():
    with pytest.raises(CodegenError, match="does not support type i7"):
        dtype_of(Type("i7"))
