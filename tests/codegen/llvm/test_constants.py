"""Constants of the IR as LLVM literals."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import StringAttr

from weft.codegen.llvm.constants import literal, quote
from weft.errors import CodegenError
from weft.ir import attributes, types


def test_integer_literals():
    assert literal(attributes.integer(-3, types.i32), types.i32) == "-3"
    assert literal(attributes.integer(1, types.i1), types.i1) == "true"


def test_special_characters_of_a_string_are_two_hexadecimal_digits():
    assert quote('a"\n') == '"a\\22\\0A"'


def test_literal_of_a_string_is_an_error():
    with pytest.raises(CodegenError, match="a constant of this kind cannot be lowered"):
        literal(StringAttr("x"), types.i32)
