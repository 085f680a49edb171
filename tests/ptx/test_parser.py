"""Statements, scopes and declarations."""

from __future__ import annotations

from weft.ptx.parser import Literal, Placeholder, Register, RegisterList, parse_statements


def test_statements():
    (statement,) = parse_statements(".reg .b16 h<2>; .reg .pred p; @!p mov.b32 {h0, _}, $1;")
    assert statement.name == "mov.b32"
    assert statement.operands == (RegisterList((Register("h0.1", 16), None)), Placeholder(1))
    assert statement.guard == (Register("p.3", 1), False)


def test_comments_and_literals():
    (statement,) = parse_statements("add.u32 $0, $1, 0x10; // a comment")
    assert statement.operands[2] == Literal("0x10")
    assert statement.text == "add.u32 $0, $1, 0x10"
