"""The order in which the worklist yields operations."""

from __future__ import annotations

from weft.analysis.dataflow.worklist import Worklist, loop_headers, reverse_postorder
from weft.ir import tt
from weft.ir.builtin import Operation
from weft.ir.text import parse_module

BLOCKS = """
tt.func public @k(%c: i1) {
  cf.br ^bb2
^bb1:
  %x = arith.constant 1 : i32
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  %y = arith.constant 2 : i32
  cf.br ^bb1
^bb3:
  tt.return
^bb4:
  cf.br ^bb3
}"""
NESTED = """
tt.func public @k(%c: i1) {
  scf.if %c {
    %x = arith.constant 1 : i32
  }
  %y = arith.constant 2 : i32
  tt.return
}"""


def function_of(text: str) -> tt.FuncOp:
    function = parse_module(text).body.block.first_op
    assert isinstance(function, tt.FuncOp)
    return function


def drain(worklist: Worklist) -> list[str]:
    names: list[str] = []
    while (op := worklist.pop()) is not None:
        names.append(op.results[0].name_hint or op.name if op.results else op.name)
    return names


def operations(function: tt.FuncOp) -> dict[str, Operation]:
    return {
        op.results[0].name_hint or op.name if op.results else op.name: op for op in function.walk()
    }


def test_blocks_come_in_reverse_postorder_without_unreachable_ones():
    function = function_of(BLOCKS)
    blocks = list(function.body.blocks)
    assert reverse_postorder(function.body) == [blocks[0], blocks[2], blocks[1], blocks[3]]
    assert loop_headers(function.body) == {blocks[2]}
    assert loop_headers(function_of(NESTED).body) == set()
    assert reverse_postorder(tt.FuncOp.of("f", [], []).body) != []


def test_a_region_without_blocks_has_no_order():
    declaration = function_of("tt.func private @f(i32)")
    assert reverse_postorder(declaration.body) == []


def test_operations_come_in_program_order_each_once():
    function = function_of(NESTED)
    ops = operations(function)
    worklist = Worklist()
    worklist.number(function.body)
    for name in ("y", "tt.return", "x", "scf.if", "y"):
        worklist.push(ops[name])
    assert drain(worklist) == ["scf.if", "x", "y", "tt.return"]
    assert worklist.pop() is None


def test_an_earlier_operation_may_be_pushed_again():
    function = function_of(BLOCKS)
    ops = operations(function)
    worklist = Worklist()
    worklist.number(function.body)
    worklist.push(ops["x"])
    assert worklist.pop() is ops["x"]
    worklist.push(ops["x"])
    worklist.push(ops["y"])
    assert drain(worklist) == ["y", "x"]


def test_regions_are_numbered_consecutively():
    first, second = function_of(NESTED), function_of(NESTED)
    worklist = Worklist()
    worklist.number(second.body)
    worklist.number(first.body)
    worklist.push(operations(first)["x"])
    worklist.push(operations(second)["y"])
    assert worklist.pop() is operations(second)["y"]
    assert worklist.pop() is operations(first)["x"]
