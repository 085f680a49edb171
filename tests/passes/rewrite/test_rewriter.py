"""Changes through a Rewriter, and the operations that each enqueues."""

from __future__ import annotations

import pytest

from weft.ir import scf
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes.rewrite.rewriter import Rewriter

TEXT = """
tt.func public @f(%x: i32, %c: i1) -> (i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %r = scf.if %c -> (i32) {
    %d = arith.subi %b, %x : i32
    scf.yield %d : i32
  } else {
    scf.yield %x : i32
  }
  %e = arith.xori %a, %r : i32
  tt.return %b, %e : i32, i32
}
"""


@pytest.fixture
def module() -> ModuleOp:
    return parse_module(TEXT)


def find(module: ModuleOp, name: str) -> Operation:
    return next(op for op in module.walk() if op.name == name)


def enqueued(rewriter: Rewriter) -> list[str]:
    """List the names of the operations in the worklist, the next one last."""
    names: list[str] = []
    while (op := rewriter.worklist.pop()) is not None:
        names.append(op.name)
    return names[::-1]


def test_enqueue_adds_the_ancestors_but_no_function(module):
    rewriter = Rewriter(module.body)
    rewriter.enqueue(find(module, "arith.subi"))
    assert enqueued(rewriter) == ["arith.subi", "scf.if"]


def test_enqueue_ignores_operations_outside_of_the_scope(module):
    rewriter = Rewriter(find(module, "scf.if").regions[0])
    rewriter.enqueue(find(module, "arith.addi"))
    assert enqueued(rewriter) == []


def test_replace_enqueues_users_and_producers(module):
    rewriter = Rewriter(module.body)
    multiplication = find(module, "arith.muli")
    rewriter.replace(multiplication, [multiplication.operands[1]])
    verify(module)
    # The users of the result, then the producer of its operand, which one other operation uses.
    assert set(enqueued(rewriter)) == {"arith.subi", "scf.if", "tt.return", "arith.addi"}
    assert "arith.muli" not in print_module(module)


def test_a_producer_with_several_other_users_is_not_enqueued():
    text = """
tt.func public @f(%x: i32) -> (i32, i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %c = arith.subi %a, %x : i32
  %d = arith.xori %a, %x : i32
  tt.return %b, %c, %d : i32, i32, i32
}
"""
    module = parse_module(text)
    rewriter = Rewriter(module.body)
    op = find(module, "arith.muli")
    rewriter.replace(op, [op.operands[1]])
    assert enqueued(rewriter) == ["tt.return"]


def test_replace_with_region_moves_the_block(module):
    rewriter = Rewriter(module.body)
    conditional = find(module, "scf.if")
    assert isinstance(conditional, scf.IfOp)
    rewriter.replace_with_region(conditional, conditional.regions[0], [])
    verify(module)
    text = print_module(module)
    assert "scf.if" not in text
    assert text.index("arith.muli") < text.index("arith.subi") < text.index("arith.xori")


def test_erase_erases_nested_operations(module):
    rewriter = Rewriter(module.body)
    conditional = find(module, "scf.if")
    rewriter.replace_uses(conditional.results[0], conditional.operands[0].block.args[0])  # pyright: ignore[reportAttributeAccessIssue]
    rewriter.enqueue(find(module, "arith.subi"))
    rewriter.erase(conditional)
    verify(module)
    assert "arith.subi" not in enqueued(rewriter)


def test_new_constants_are_reported(module):
    rewriter = Rewriter(module.body)
    addition = find(module, "arith.addi")
    assert not rewriter.has_new_constants
    value = rewriter.constant(parse_constant(), addition.results[0].type, addition)
    assert rewriter.has_new_constants
    assert value.owner.next_op is addition  # pyright: ignore[reportAttributeAccessIssue]
    assert value.owner.location == addition.location  # pyright: ignore[reportAttributeAccessIssue]


def parse_constant():
    text = "tt.func @f() -> i32 {\n %c = arith.constant 7 : i32\n tt.return %c : i32\n}"
    return find(parse_module(text), "arith.constant").properties["value"]
