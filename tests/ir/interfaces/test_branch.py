"""Branches between blocks."""

from __future__ import annotations

import pytest

from tests.ir.interfaces.programs import RECORDED, control_flow
from weft.ir import attributes, cf
from weft.ir.interfaces import BranchOpInterface
from weft.ir.interfaces.branch import incoming_values
from weft.ir.rewriting import walk
from weft.ir.text import parse_module


@pytest.mark.parametrize("name", RECORDED)
def test_every_edge_has_an_operand_per_block_argument(name: str) -> None:
    for op in walk(parse_module(RECORDED[name])):
        assert bool(op.successors) == isinstance(op, BranchOpInterface)
        if isinstance(op, BranchOpInterface):
            edges = op.block_edges()
            assert [edge.block for edge in edges] == list(op.successors)
            for edge in edges:
                for operand, argument in edge.forwarded():
                    assert operand in op.operands
                    assert operand.type == argument.type
                    assert operand in incoming_values(argument)


def branches() -> tuple[object, cf.CondBranchOp, cf.BranchOp]:
    module, _ = control_flow()
    body = module.body.block.first_op.regions[0]  # pyright: ignore[reportOptionalMemberAccess]
    conditional, jump = body.blocks[0].last_op, body.blocks[2].last_op
    assert isinstance(conditional, cf.CondBranchOp)
    assert isinstance(jump, cf.BranchOp)
    return module, conditional, jump


def test_successor_operands() -> None:
    _module, conditional, jump = branches()
    assert conditional.successor_operands(0) == tuple(conditional.operands[1:2])
    assert conditional.successor_operands(1) == tuple(conditional.operands[2:4])
    assert jump.successor_operands(0) == tuple(jump.operands)


def test_set_successor_operands_keeps_the_others() -> None:
    _module, conditional, jump = branches()
    condition, x, n, y = conditional.operands
    conditional.set_successor_operands(1, [y])
    assert tuple(conditional.operands) == (condition, x, y)
    assert conditional.successor_operands(0) == (x,)
    assert conditional.successor_operands(1) == (y,)
    conditional.set_successor_operands(0, [])
    assert tuple(conditional.operands) == (condition, y)
    assert conditional.successor_operands(0) == ()
    jump.set_successor_operands(0, [n])
    assert tuple(jump.operands) == (n,)


def test_a_constant_condition_selects_the_successor() -> None:
    _module, conditional, jump = branches()
    first, second = conditional.successors
    true, false = attributes.boolean(True), attributes.boolean(False)
    unknown = (None, None, None)
    assert conditional.successor_for_operands((true, *unknown)) is first
    assert conditional.successor_for_operands((false, *unknown)) is second
    assert conditional.successor_for_operands((None, true, None, None)) is None
    assert jump.successor_for_operands((None,)) is first


def test_incoming_values() -> None:
    _module, conditional, jump = branches()
    (argument,) = jump.successors[0].args
    assert set(incoming_values(argument)) == {conditional.operands[1], jump.operands[0]}
    entry = conditional.parent
    assert entry is not None
    assert list(incoming_values(entry.args[0])) == []
