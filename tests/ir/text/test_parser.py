"""Parsing: locations, and errors with their place."""

from __future__ import annotations

import pytest

from tests.ir.dialect_files import MODULES
from weft.errors import ParseError
from weft.ir.text import parse_module, print_module


def test_locations_and_names_survive() -> None:
    text = (
        '#loc = loc("k.py":1:0)\n'
        "module {\n"
        '  tt.func public @k(%x: i32 loc("x"(#loc))) attributes {noinline = false} {\n'
        "    %y = arith.addi %x, %x : i32 loc(#loc5)\n"
        "    %z = arith.addi %y, %y : i32 loc(#loc4)\n"
        "    tt.return loc(#loc2)\n"
        "  } loc(#loc)\n"
        "} loc(#loc)\n"
        '#loc1 = loc("k.py":2:4)\n'
        '#loc2 = loc("k.py":3:4)\n'
        '#loc3 = loc("z")\n'
        "#loc4 = loc(callsite(#loc1 at #loc2))\n"
        '#loc5 = loc("y"(#loc1))\n'
    )
    printed = print_module(parse_module(text), locations=True)
    assert print_module(parse_module(printed), locations=True) == printed
    assert "%y = arith.addi %x, %x : i32 loc(#loc" in printed
    assert "callsite(#loc" in printed


def error_of(body: str, arguments: str = "%x: i32, %f: f32, %t: tensor<4xi32>") -> str:
    text = f"module {{\n  tt.func public @f({arguments}) {{\n    {body}\n    tt.return\n  }}\n}}\n"
    with pytest.raises(ParseError) as caught:
        parse_module(text, "bad.mlir")
    return str(caught.value)


def test_syntax_error_has_line_column_and_caret() -> None:
    message = error_of("%a = arith.addi %x %x : i32")
    assert message.startswith("bad.mlir:3:24: error: ")
    assert "%a = arith.addi %x %x : i32\n" in message
    assert message.splitlines()[2].index("^") == message.splitlines()[1].index("%x : i32")


def test_unknown_operation_names_the_near_ones() -> None:
    message = error_of("%a = arith.adi %x, %x : i32")
    assert message.startswith("bad.mlir:3:10: error: custom op 'arith.adi' is unknown")
    assert "arith.addi" in message


def test_use_before_definition() -> None:
    assert "%b" in error_of("%a = arith.addi %b, %x : i32")


def test_operand_of_another_type() -> None:
    message = error_of("%a = arith.addi %x, %f : i32")
    assert "bad.mlir:3:" in message
    assert "f32" in message


def test_unknown_enumeration_keyword() -> None:
    message = error_of("%a = arith.cmpi less, %x, %x : i32")
    assert "expected CmpIPredicate to be one of: eq, ne, slt" in message
    assert "found less" in message


def test_operation_without_custom_form() -> None:
    message = error_of("%a = tt.reduce %t : tensor<4xi32>")
    assert "custom op 'tt.reduce' has no custom assembly form" in message


def test_unknown_properties_are_dropped() -> None:
    text = 'module {\n%r = "tt.get_program_id"() <{axis = 0 : i32, new = unit}> : () -> i32\n}'
    assert "new" not in print_module(parse_module(text))


def test_an_operation_without_properties() -> None:
    message = error_of('%r = "arith.andi"(%x, %x) <{new}> : (i32, i32) -> i32')
    assert "invalid properties {new} for op arith.andi" in message


@pytest.mark.parametrize("cut", range(5, 700, 47))
def test_text_cut_anywhere_is_an_error_with_a_place(cut: int) -> None:
    text = MODULES["scf-0"][:cut]
    with pytest.raises(ParseError) as caught:
        parse_module(text, "cut.mlir")
    location = caught.value.location
    assert location is not None
    assert 1 <= location.line <= text.count("\n") + 1


def test_regions_nested_too_deeply() -> None:
    deep = "scf.if %x {\n" * 2000
    assert "nested too deeply" in error_of(deep, "%x: i1")


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("acc", "acc"), ("$a", "$a"), (".a", ".a"), ("-a", "-a"), ("a.b-c$", "a.b-c$"),
        ("é", "_C3A9"), ("aé", "aC3A9"), ("a b+c", "a_b2Bc"), ("9a", "_9a"), ("~a", "_7Ea"),
        ("12", "_12"), (" a", "_a"), ("%a", "_25a"), ("a:b", "a3Ab"), ("a/b[c]", "a2Fb5Bc5D"),
    ],
)  # fmt: skip
def test_names_that_locations_carry(name: str, spelled: str) -> None:
    text = f"""\
module {{
  tt.func @f(%arg0: i32) {{
    %0 = arith.addi %arg0, %arg0 : i32 loc("{name}"("k.py":1:1))
    tt.return
  }}
}}
"""
    printed = print_module(parse_module(text), locations=True)
    assert f"    %{spelled} = arith.addi" in printed
    assert print_module(parse_module(printed), locations=True) == printed


def test_numbers_are_no_names() -> None:
    text = "tt.func @f(%_0: i32) {\n  %_1_2 = arith.addi %_0, %_0 : i32\n  tt.return\n}\n"
    ops = list(parse_module(text).walk())
    values = [value for op in ops for value in (*op.operands, *op.results)]
    assert [value.name_hint for value in values] == [None] * 3
