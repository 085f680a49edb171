"""Axis info through loops, conditionals and branches."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    info_of,
)
from weft.analysis.axis_info import (
    AxisInfo,
    axis_info,
)
from weft.ir import tt
from weft.ir.text import parse_module


def test_an_iter_arg_joins_its_init_arg_and_yielded_value():
    body = """
%c0 = arith.constant 0 : i32
%c8 = arith.constant 8 : i32
%x = scf.for %i = %c0 to %n step %c8 iter_args(%s = %n16) -> (i32)  : i32 {
  %t = arith.addi %s, %i : i32
  scf.yield %t : i32
}"""
    assert info_of(body, "%x", "i32") == AxisInfo((1,), (8,), (1,))


def test_a_while_and_an_if():
    body = """
%w = scf.while (%a = %n16) : (i32) -> i32 {
  scf.condition(%c) %a : i32
} do {
^bb0(%b: i32):
  %d = arith.addi %b, %b : i32
  scf.yield %d : i32
}
%c24 = arith.constant 24 : i32
%x = scf.if %c -> (i32) {
  scf.yield %w : i32
} else {
  scf.yield %c24 : i32
}"""
    assert info_of(body, "%w", "i32").divisibility == (16,)
    assert info_of(body, "%x", "i32") == AxisInfo((1,), (8,), (1,))


def test_branches_between_blocks():
    module = parse_module(
        """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %c: i1) -> i32 {
  %c8 = arith.constant 8 : i32
  cf.cond_br %c, ^bb1(%n : i32), ^bb2
^bb1(%a: i32):
  %b = arith.addi %a, %n : i32
  cf.cond_br %c, ^bb1(%b : i32), ^bb2
^bb2:
  tt.return %c8 : i32
}"""
    )
    info = axis_info(module)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    assert info[function.regions[0].blocks[1].args[0]].divisibility == (16,)
