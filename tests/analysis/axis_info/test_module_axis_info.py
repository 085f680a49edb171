"""Axis info over calls, and what memory accesses ask for."""

from __future__ import annotations

from tests.analysis.axis_info.infos import (
    analyse,
)
from weft.analysis.axis_info import (
    axis_info,
    write_argument_hints,
)
from weft.ir import tt
from weft.ir.text import parse_module, print_module

CALLS = """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  tt.call @f(%n) : (i32) -> ()
  tt.call @f(%c8) : (i32) -> ()
  tt.return
}
tt.func private @f(%x: i32) attributes {noinline = true} {
  %y = arith.addi %x, %x : i32
  tt.call @g(%y) : (i32) -> ()
  tt.return
}
tt.func private @g(%x: i32 {tt.divisibility = 4 : i32}) attributes {noinline = true} {
  tt.return
}
"""


def test_an_argument_joins_all_calls():
    module = parse_module(CALLS)
    info = axis_info(module)
    arguments = [op.entry.args[0] for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    assert [info[one].divisibility for one in arguments] == [(16,), (8,), (4,)]
    write_argument_hints(info)
    text = print_module(module)
    assert "@f(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64" in text
    assert "tt.divisibility = 8 : i64}" in text
    assert "tt.divisibility = 4 : i64}" in text


def test_a_recursive_function_uses_argument_attributes():
    text = """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = true} {
  tt.call @k(%n) : (i32) -> ()
  tt.return
}"""
    module = parse_module(text)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    assert axis_info(module)[function.entry.args[0]].divisibility == (16,)


ACCESS = (
    "%r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>\n"
    "%s = tt.splat %n16 : i32 -> tensor<1024xi32, #blocked>\n"
    "%ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>\n"
    "%a = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>\n"
    "%m = arith.cmpi slt, %r, %s : tensor<1024xi32, #blocked>\n"
)


def test_alignment_and_contiguity_along_the_layout():
    argument = "%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}"
    printed = 'tt.print "" {hex = false, isSigned = array<i32: 1>} : '
    _, info, pointers = analyse(
        ACCESS + printed + "%a : tensor<1024x!tt.ptr<f16>, #blocked>", argument
    )
    assert info.alignment(pointers) == 8  # 16 bytes
    assert info.contiguity(pointers) == 4  # what a thread holds in a row
    _, info, offsets = analyse(ACCESS + printed + "%r : tensor<1024xi32, #blocked>", argument)
    assert info.contiguity(offsets, element_bits=16) == 4
    _, info, mask = analyse(ACCESS + printed + "%m : tensor<1024xi1, #blocked>", argument)
    assert info.mask_alignment(mask) == 16
    _, info, scalar = analyse(ACCESS + printed + "%n : i32", argument)
    assert (info.alignment(scalar), info.contiguity(scalar), info.mask_alignment(scalar)) == (
        1,
    ) * 3


def test_a_mapping_of_values():
    module, info, value = analyse('tt.print "" {hex = false, isSigned = array<i32: 1>} : %n : i32')
    assert value in info
    assert len(list(info)) == len(info)
    assert axis_info(module)[value] == info[value]
