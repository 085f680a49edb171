"""What belongs to a slice, and in which order."""

from __future__ import annotations

from weft.analysis.slices import backward_slice, connected_slice, forward_slice, slices_among
from weft.ir import scf, tt
from weft.ir.builtin import Operation
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

STRAIGHT = """
tt.func public @k(%p: !tt.ptr<i32>, %x: i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.muli %a, %x : i32
  %c = arith.subi %b, %a : i32
  %d = arith.andi %x, %x : i32
  tt.store %p, %c : !tt.ptr<i32>
  tt.store %p, %d : !tt.ptr<i32>
  tt.return
}
"""
LOOP = """
tt.func public @k(%p: !tt.ptr<i32>, %x: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = arith.muli %n, %n : i32
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%s = %x) -> (i32)  : i32 {
    %t = arith.addi %s, %c1 : i32
    %u = arith.xori %x, %c1 : i32
    tt.store %p, %u : !tt.ptr<i32>
    scf.yield %t : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}
"""
BRANCH = """
tt.func public @k(%p: !tt.ptr<i32>, %c: i1, %x: i32, %y: i32) {
  %a = arith.addi %x, %x : i32
  %r = scf.if %c -> (i32) {
    %b = arith.muli %a, %x : i32
    scf.yield %b : i32
  } else {
    scf.yield %y : i32
  }
  %d = arith.subi %r, %y : i32
  tt.return
}
"""


def ops(text: str) -> dict[str, Operation]:
    """Return the operations of a text by their names, the last of each."""
    return {op.name: op for op in walk(parse_module(text))}


def names(found: list[Operation]) -> list[str]:
    return [op.name for op in found]


def test_backward_slice_lists_definitions_before_users():
    by = ops(STRAIGHT)
    assert names(backward_slice(by["arith.subi"])) == ["arith.addi", "arith.muli"]
    inclusive = backward_slice(by["arith.subi"], inclusive=True)
    assert names(inclusive) == ["arith.addi", "arith.muli", "arith.subi"]
    assert names(backward_slice(by["arith.subi"].results[0])) == ["arith.addi", "arith.muli"]


def test_a_rejected_operation_excludes_its_operands():
    by = ops(STRAIGHT)
    remaining = backward_slice(by["arith.subi"], keep=lambda op: op.name != "arith.muli")
    assert names(remaining) == ["arith.addi"]
    assert backward_slice(by["arith.subi"], keep=lambda op: False) == []


def test_forward_slice_lists_users_after_definitions():
    by = ops(STRAIGHT)
    result = names(forward_slice(by["arith.addi"]))
    assert result == ["arith.muli", "arith.subi", "tt.store"]
    assert names(forward_slice(by["arith.addi"], inclusive=True))[0] == "arith.addi"
    assert names(forward_slice(by["arith.addi"].results[0])) == result


def test_a_carried_value_leads_to_its_loop():
    by = ops(LOOP)
    assert names(backward_slice(by["arith.addi"])) == [
        "arith.constant",
        "arith.muli",
        "arith.constant",
        "scf.for",
    ]
    assert names(backward_slice(by["arith.addi"], omit_block_arguments=True)) == ["arith.constant"]


def test_a_loop_leads_forward_to_all_in_its_body():
    by = ops(LOOP)
    result = set(names(forward_slice(by["scf.for"])))
    assert result == {"arith.addi", "arith.xori", "tt.store", "scf.yield"}


def test_values_used_in_regions_are_optional():
    by = ops(BRANCH)
    assert names(backward_slice(by["arith.subi"])) == ["scf.if"]
    above = backward_slice(by["arith.subi"], omit_uses_from_above=False)
    assert names(above) == ["arith.addi", "scf.if"]


def test_a_block_argument_leads_to_its_parent_operation():
    loop = ops(LOOP)["scf.for"]
    assert isinstance(loop, scf.ForOp)
    result = backward_slice(loop.block.args[1], inclusive=True)
    assert names(result)[-1] == "scf.for"
    function = ops(LOOP)["tt.func"]
    assert isinstance(function, tt.FuncOp)
    assert backward_slice(function.entry.args[0]) == []


def test_slice_in_both_directions_is_in_program_order():
    by = ops(STRAIGHT)
    assert names(connected_slice(by["arith.muli"])) == [
        "arith.addi",
        "arith.muli",
        "arith.subi",
        "tt.store",
    ]


def test_slices_of_several_values_equal_their_separate_slices():
    for text in (STRAIGHT, LOOP, BRANCH):
        function = ops(text)["tt.func"]
        expected = [op for op in function.walk() if op is not function]
        at_once = slices_among(function, expected)
        for op, result in zip(expected, at_once, strict=True):
            alone = [other for other in connected_slice(op) if other is not function]
            assert result == alone, op.name


def test_deep_chains_do_not_recurse():
    lines = ["%v0 = arith.addi %x, %x : i32"]
    lines += [f"%v{i + 1} = arith.addi %v{i}, %x : i32" for i in range(5000)]
    text = "tt.func public @k(%x: i32) {\n" + "\n".join(lines) + "\ntt.return\n}"
    last = ops(text)["arith.addi"]
    assert len(backward_slice(last)) == 5000
    assert len(connected_slice(last)) == 5001
