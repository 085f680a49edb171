"""Building, replacing, moving and cloning operations."""

from __future__ import annotations

import pytest

from weft.ir import arith, attributes, locations, tt, types
from weft.ir.builtin import Block, ModuleOp, Operation, SSAValue
from weft.ir.rewriting import (
    Builder,
    ancestors,
    clone,
    constant_value,
    defining_op,
    erase,
    move_before,
    replace,
    set_type,
    used,
    walk,
)
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

HERE = locations.file("k.py", 7, 4)
LOOP = """
tt.func @f(%n: i32, %c: i1) {
  %0 = arith.constant 1 : i32
  %1 = scf.for %i = %0 to %n step %0 iter_args(%acc = %0) -> (i32) : i32 {
    %2 = arith.addi %acc, %i : i32
    scf.yield %2 : i32
  }
  %3 = arith.addi %1, %1 : i32
  tt.return
}
"""
BRANCHES = """
tt.func @f(%c: i1, %x: i32) {
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
^bb1(%y: i32):
  cf.br ^bb2
^bb2:
  tt.return
}
"""


def parsed(text: str = LOOP) -> tuple[ModuleOp, list[Operation]]:
    """Parse a module; return it and its operations in preorder."""
    module = parse_module(text)
    return module, list(walk(module))


def names(block: Block) -> list[str]:
    return [op.name for op in block.ops]


def test_walk_is_in_preorder() -> None:
    _, ops = parsed()
    assert [op.name for op in ops] == [
        "builtin.module", "tt.func", "arith.constant", "scf.for", "arith.addi", "scf.yield",
        "arith.addi", "tt.return",
    ]  # fmt: skip


def test_walk_allows_to_erase_the_current_operation() -> None:
    module, _ = parsed()
    for op in walk(module):
        if isinstance(op, arith.AddIOp) and not used(op):
            erase(op)
    assert [op.name for op in walk(module)].count("arith.addi") == 1


def test_insertion_points() -> None:
    block = Block(arg_types=[types.i32])
    operands = [block.args[0]] * 2
    builder = Builder(HERE).at_end(block)
    middle = builder.create(arith.AddIOp, operands, [types.i32])
    builder.create(arith.SubIOp, operands, [types.i32])
    Builder().at_start(block).create(arith.MulIOp, operands, [types.i32])
    Builder().before(middle).create(arith.AndIOp, operands, [types.i32])
    Builder().after(middle).create(arith.OrIOp, operands, [types.i32])
    expected = ["arith.muli", "arith.andi", "arith.addi", "arith.ori", "arith.subi"]
    assert names(block) == expected
    assert Builder().after(middle).block is block


def test_a_builder_takes_the_location_of_its_anchor() -> None:
    block = Block(arg_types=[types.i32])
    operands = [block.args[0]] * 2
    anchor = Builder(HERE).at_end(block).create(arith.AddIOp, operands, [types.i32])
    assert anchor.location == HERE
    for builder in (Builder().before(anchor), Builder().after(anchor)):
        assert builder.create(arith.AddIOp, operands, [types.i32]).location == HERE
    assert Builder().at_end(block).location == locations.unknown


def test_restoring_an_insertion_point() -> None:
    block, other = Block(arg_types=[types.i32]), Block()
    builder = Builder().at_end(block)
    end = builder.constant(1, types.i32).op
    builder.before(end)
    place = builder.place
    builder.at_end(other).constant(2, types.i32)
    builder.restore(place).value(arith.AddIOp, [block.args[0]] * 2, types.i32)
    assert names(block) == ["arith.addi", "arith.constant"]
    assert names(other) == ["arith.constant"]


def test_a_builder_without_insertion_point() -> None:
    detached = Builder().create(arith.ConstantOp, (), (types.i32,), {"value": attributes.unit})
    assert detached.parent is None
    with pytest.raises(AssertionError, match="no insertion point"):
        _ = Builder().block


def test_constants() -> None:
    builder = Builder().at_end(Block())
    vector = types.tensor((8,), types.i32)
    assert constant_value(builder.constant(5, types.i32)) == 5
    assert constant_value(builder.constant(True, types.i1)) == 1
    assert constant_value(builder.constant(5, vector)) == 5
    assert builder.constant(5, vector).type is vector
    assert constant_value(builder.constant(2.5, types.f32)) == 2.5
    assert constant_value(builder.block.ops.first.results[0]) == 5  # pyright: ignore


def test_replacing_an_operation() -> None:
    module, ops = parsed()
    loop, total = ops[3], ops[6]
    replace(loop, [ops[2].results[0]])
    assert list(total.operands) == [ops[2].results[0]] * 2
    assert "scf.for" not in [op.name for op in walk(module)]
    verify(module)
    with pytest.raises(ValueError, match=r"zip\(\)"):
        replace(total, [])


def test_moving_an_operation() -> None:
    _, ops = parsed()
    inner, total = ops[4], ops[6]
    move_before(total, inner)
    assert inner.prev_op is total
    assert total.parent is inner.parent


def test_changing_a_type_in_place() -> None:
    _, ops = parsed()
    constant = ops[2]
    set_type(constant.results[0], types.i64)
    assert constant.results[0].type is types.i64


def test_definitions_and_ancestors() -> None:
    module, ops = parsed()
    function, constant, loop, inner = ops[1], ops[2], ops[3], ops[4]
    assert isinstance(function, tt.FuncOp)
    assert defining_op(constant.results[0]) is constant
    assert defining_op(constant.results[0], arith.ConstantOp) is constant
    assert defining_op(constant.results[0], arith.AddIOp) is None
    assert defining_op(function.entry.args[0]) is None
    assert constant_value(function.entry.args[0]) is None
    assert constant_value(loop.results[0]) is None
    assert list(ancestors(inner)) == [loop, function, module]
    assert used(loop)
    assert not used(ops[6])


def test_a_clone_of_a_loop_refers_to_its_own_values() -> None:
    module, ops = parsed()
    loop = ops[3]
    replacement = Builder().before(loop).constant(9, types.i32)
    copied = clone(loop, {ops[2].results[0]: replacement})
    assert copied.parent is None
    Builder().before(loop).insert(copied)
    assert list(copied.operands)[0::2] == [replacement, replacement]
    verify(module)
    for op in walk(copied):
        if op is not copied:
            assert not {id(operand.owner) for operand in op.operands} & {id(o) for o in ops}
    assert copied.location == loop.location


def test_a_clone_records_results_and_arguments() -> None:
    _, ops = parsed()
    loop = ops[3]
    values: dict[SSAValue, SSAValue] = {}
    copied = clone(loop, values)
    assert values[loop.results[0]] is copied.results[0]
    old, new = loop.regions[0].block, copied.regions[0].block
    assert [values[argument] for argument in old.args] == list(new.args)


def test_a_clone_keeps_names_and_locations_of_values() -> None:
    _, ops = parsed()
    loop = ops[3]
    loop.results[0].name_hint = "total"
    argument = loop.regions[0].block.args[1]
    argument.location = HERE
    copied = clone(loop, {})
    assert copied.results[0].name_hint == "total"
    first, second = copied.regions[0].block.args
    assert [first.name_hint, second.name_hint] == ["i", "acc"]
    assert second.location == HERE


def test_branches_of_a_clone_target_cloned_blocks() -> None:
    module, _ = parsed(BRANCHES)
    copied = clone(module, {})
    assert isinstance(copied, ModuleOp)
    assert print_module(copied) == print_module(module)
    blocks = {block for op in walk(copied) for r in op.regions for block in r.blocks}
    targets = {target for op in walk(copied) for target in op.successors}
    assert targets
    assert targets <= blocks
    verify(copied)
