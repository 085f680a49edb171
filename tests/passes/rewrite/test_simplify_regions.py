"""Unreachable blocks, dead operations and dead cycles of block arguments are erased."""

from __future__ import annotations

from weft.ir.builtin import Region
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.rewrite.simplify_regions import (
    predecessors,
    remove_branch_operands,
    simplify_regions,
)

TEXT = """
tt.func public @f(%x: i32, %c: i1, %p: !tt.ptr<i32>) {
  %dead = arith.addi %x, %x : i32
  cf.br ^loop(%x, %x : i32, i32)
^loop(%a: i32, %b: i32):
  %next = arith.muli %b, %b : i32
  tt.store %p, %a : !tt.ptr<i32>
  cf.cond_br %c, ^loop(%a, %next : i32, i32), ^end
^end:
  tt.return
^first:
  cf.br ^second
^second:
  cf.br ^first
}
"""


def body(text: str) -> Region:
    function = parse_module(text).body.block.first_op
    assert function is not None
    return function.regions[0]


def test_everything_dead_is_erased_at_once():
    region = body(TEXT)
    assert simplify_regions(region)
    module = region.parent.parent_op()  # pyright: ignore[reportOptionalMemberAccess]
    verify(module)  # pyright: ignore[reportArgumentType]
    text = print_module(module)  # pyright: ignore[reportArgumentType]
    assert len(region.blocks) == 3
    assert "arith" not in text
    assert "cf.br ^bb1(%arg0 : i32)" in text
    assert "cf.cond_br %arg1, ^bb1(%0 : i32), ^bb2" in text
    assert not simplify_regions(region)


def test_effects_and_their_operands_stay():
    text = """
tt.func public @f(%x: i32, %c: i1, %p: !tt.ptr<i32>) {
  scf.if %c {
    %y = arith.addi %x, %x : i32
    %z = arith.muli %x, %x : i32
    tt.store %p, %y : !tt.ptr<i32>
  }
  tt.return
}
"""
    region = body(text)
    assert simplify_regions(region)
    printed = print_module(region.parent.parent_op())  # pyright: ignore[reportArgumentType, reportOptionalMemberAccess]
    assert "arith.addi" in printed
    assert "arith.muli" not in printed


def test_predecessors_and_their_operands():
    region = body(TEXT)
    entry, loop = list(region.blocks)[:2]
    assert {op.parent for op in predecessors(loop)} == {entry, loop}
    remove_branch_operands(loop.args[0])
    edges = [edge for op in predecessors(loop) for edge in op.block_edges()]  # pyright: ignore[reportAttributeAccessIssue]
    assert sorted(len(edge.operands) for edge in edges) == [0, 1, 1]


def test_values_in_a_loop_with_many_results_stay_or_go():
    text = """
tt.func public @f(%x: i32, %n: i32, %c: i1, %p: !tt.ptr<i32>) {
  %outside = arith.addi %x, %x : i32
  %unused = arith.subi %x, %x : i32
  cf.cond_br %c, ^early, ^run
^early:
  tt.return
^run:
  %r:2 = scf.for %i = %x to %n step %x iter_args(%a = %x, %b = %x) -> (i32, i32) : i32 {
    %y = arith.addi %a, %outside : i32
    scf.yield %y, %b : i32, i32
  }
  tt.store %p, %r#0 : !tt.ptr<i32>
  tt.store %p, %r#1 : !tt.ptr<i32>
  cf.br ^end
^end:
  tt.return
}
"""
    region = body(text)
    assert simplify_regions(region)
    printed = print_module(region.parent.parent_op())  # pyright: ignore
    assert "arith.subi" not in printed
    assert printed.count("arith.addi") == 2
    assert printed.count("tt.store") == 2
