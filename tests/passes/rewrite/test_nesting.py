"""Nesting of operations and values in regions."""

from __future__ import annotations

from weft.ir.text import parse_module
from weft.passes.rewrite.nesting import defining_region, is_defined_inside, is_nested_in

TEXT = """
tt.func public @f(%n: i32) -> i32 {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %n) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  tt.return %r : i32
}
"""


def test_nesting():
    module = parse_module(TEXT)
    ops = {op.name: op for op in module.walk()}
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
