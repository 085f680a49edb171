"""Blocks that do the same become one."""

from __future__ import annotations

from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.rewrite.merge_blocks import drop_repeated_arguments, merge_identical_blocks

RETURNS = """
tt.func public @f(%c: i1, %d: i1, %x: i32, %y: i32, %p: !tt.ptr<i32>) -> (i32, i32) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x, %x : i32, i32
^bb2:
  cf.cond_br %d, ^bb3, ^bb4
^bb3:
  tt.return %y, %y : i32, i32
^bb4:
  tt.store %p, %x : !tt.ptr<i32>
  tt.return %y, %x : i32, i32
}
"""

REPEATED = """
tt.func public @f(%c: i1, %x: i32, %p: !tt.ptr<i32>) -> i32 {
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
^bb2:
  tt.store %p, %x : !tt.ptr<i32>
  cf.br ^bb1(%x : i32)
^bb1(%a: i32):
  tt.return %a : i32
}
"""


def test_equal_blocks_share_an_argument_per_differing_value():
    module = parse_module(RETURNS)
    function = module.body.block.first_op
    assert function is not None
    assert merge_identical_blocks(function.regions[0])
    verify(module)
    text = print_module(module)
    assert "cf.cond_br %arg0, ^bb1(%arg2 : i32), ^bb2" in text
    assert "cf.cond_br %arg1, ^bb1(%arg3 : i32), ^bb3" in text
    assert text.count("tt.return") == 2
    assert not merge_identical_blocks(function.regions[0])


def test_an_argument_that_is_always_the_same_is_dropped():
    module = parse_module(REPEATED)
    function = module.body.block.first_op
    assert function is not None
    assert drop_repeated_arguments(function.regions[0])
    verify(module)
    assert "tt.return %arg1 : i32" in print_module(module)
    assert not drop_repeated_arguments(function.regions[0])
