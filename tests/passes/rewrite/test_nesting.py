"""Nesting of operations and values in regions."""

from __future__ import annotations

import pytest

from weft.ir.text import parse_module
from weft.passes.rewrite.nesting import (
    ancestor_in_block,
    defining_region,
    is_defined_in_region,
    is_defined_inside,
    is_nested_in,
    precedes,
    replace_uses_in_region,
)

TEXT = """
tt.func public @f(%n: i32) -> i32 {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %n) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  %s = arith.subi %r, %n : i32
  tt.return %r : i32
}
"""


@pytest.fixture
def ops():
    return {op.name: op for op in parse_module(TEXT).walk()}


def test_nesting(ops):
    function, loop, addition = ops["tt.func"], ops["scf.for"], ops["arith.addi"]
    body, inner = function.regions[0], loop.regions[0]
    assert is_nested_in(addition, inner)
    assert is_nested_in(addition, body)
    assert is_nested_in(loop, body)
    assert not is_nested_in(loop, inner)
    argument, iter_arg = body.block.args[0], inner.block.args[1]
    assert defining_region(argument) is body
    assert defining_region(iter_arg) is inner
    assert defining_region(addition.results[0]) is inner
    assert defining_region(loop.results[0]) is body
    assert is_defined_inside(iter_arg, loop)
    assert is_defined_inside(addition.results[0], function)
    assert not is_defined_inside(loop.results[0], loop)
    assert not is_defined_inside(argument, loop)
    assert is_defined_in_region(addition.results[0], body)
    assert is_defined_in_region(iter_arg, inner)
    assert not is_defined_in_region(loop.results[0], inner)
    assert not is_defined_in_region(argument, inner)


def test_precedence(ops):
    loop, addition, difference = ops["scf.for"], ops["arith.addi"], ops["arith.subi"]
    assert ancestor_in_block(addition, loop.parent) is loop
    assert ancestor_in_block(difference, loop.regions[0].block) is None
    assert precedes(loop, difference)
    assert precedes(loop, addition)
    assert not precedes(addition, loop)
    assert not precedes(addition, difference)
    assert not precedes(difference, addition)
    assert not precedes(loop, loop)


def test_uses_are_replaced_in_one_region(ops):
    loop, addition, difference = ops["scf.for"], ops["arith.addi"], ops["arith.subi"]
    argument = ops["tt.func"].regions[0].block.args[0]
    new_value = addition.results[0]
    yielded = loop.regions[0].block.last_op
    replace_uses_in_region(loop.regions[0].block.args[1], argument, loop.regions[0])
    assert addition.operands[0] is argument
    replace_uses_in_region(argument, new_value, yielded.parent.parent)
    assert addition.operands[0] is new_value
    assert difference.operands[1] is argument
    assert loop.operands[0] is argument
