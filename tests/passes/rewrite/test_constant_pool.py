"""Constants of a function are unique and at its start."""

from __future__ import annotations

from weft.ir.constants import is_constant
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.rewrite.constant_pool import ConstantPool, constant_insertion_block
from weft.passes.rewrite.rewriter import Rewriter

TEXT = """
tt.func public @f(%x: i32, %c: i1, %p: !tt.ptr<i32>) {
  %y = arith.addi %x, %x : i32
  %c1 = arith.constant 1 : i32
  scf.if %c {
    %c1_0 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %0 = arith.muli %c1_0, %c2 : i32
    tt.store %p, %0 : !tt.ptr<i32>
  }
  %1 = arith.muli %y, %c1 : i32
  tt.store %p, %1 : !tt.ptr<i32>
  tt.return
}
tt.func public @g(%p: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  tt.store %p, %c1 : !tt.ptr<i32>
  tt.return
}
"""


def test_constants_move_to_the_start_of_their_function():
    module = parse_module(TEXT)
    pool = ConstantPool(Rewriter(module.body))
    constants = [op for op in module.walk() if is_constant(op)]
    assert [pool.add(op) for op in constants] == [True, False, True, True]
    verify(module)
    first, second = print_module(module).split("tt.func public @g")
    lines = [line.strip() for line in first.splitlines()]
    start = next(index for index, line in enumerate(lines) if line.startswith("tt.func"))
    assert lines[start + 1 : start + 3] == [
        "%c2_i32 = arith.constant 2 : i32",
        "%c1_i32 = arith.constant 1 : i32",
    ]
    assert first.count("arith.constant") == 2
    assert "arith.constant 1" in second


def test_a_leading_constant_stays():
    module = parse_module(TEXT)
    pool = ConstantPool(Rewriter(module.body))
    constant = [op for op in module.walk() if is_constant(op)][-1]
    following = constant.next_op
    assert pool.add(constant)
    assert constant.next_op is following


def test_the_insertion_block_is_the_entry_of_the_function():
    module = parse_module(TEXT)
    functions = list(module.body.block.ops)
    blocks = {
        constant_insertion_block(op.parent)
        for op in functions[0].walk()
        if op is not functions[0] and op.parent is not None
    }
    assert blocks == {functions[0].regions[0].blocks.first}


def test_poison_of_each_type_stays():
    module = parse_module("""
    tt.func public @f() {
      %0 = ub.poison : i32
      %1 = ub.poison : f32
      %2 = ub.poison : i32
      tt.return
    }
    """)
    pool = ConstantPool(Rewriter(module.body))
    poisons = [op for op in module.walk() if is_constant(op)]
    assert [pool.add(op) for op in poisons] == [True, True, False]
    verify(module)
