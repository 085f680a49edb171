"""Values followed through control flow."""

from __future__ import annotations

import pytest

from tests.ir.interfaces.programs import RECORDED, control_flow
from weft.ir import cf, scf, tt
from weft.ir.builtin import SSAValue
from weft.ir.interfaces import forwarded_from, forwarded_to
from weft.ir.rewriting import walk
from weft.ir.text import parse_module


@pytest.mark.parametrize("name", RECORDED)
def test_backward_and_forward_agree(name: str) -> None:
    forward: set[tuple[SSAValue, SSAValue]] = set()
    backward: set[tuple[SSAValue, SSAValue]] = set()
    for op in walk(parse_module(RECORDED[name])):
        forward |= {(o, target) for o in op.operands for target in forwarded_to(op, o)}
        arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
        for value in (*op.results, *arguments):
            backward |= {(source, value) for source in forwarded_from(value) or ()}
    assert forward == backward


def test_a_loop_carried_value() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    for index, (argument, result) in enumerate(zip(loop.iter_args, loop.results, strict=True)):
        sources = (loop.init_args[index], loop.yielded_values[index])
        assert forwarded_from(argument) == sources
        assert forwarded_from(result) == sources
        assert forwarded_to(loop.terminator, sources[1]) == (argument, result)
        assert forwarded_to(loop, sources[0]) == (argument, result)


def test_values_that_no_edge_assigns() -> None:
    module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    body = loop.block.first_op
    assert body is not None
    reduced = ops["reduce"]
    for value in (
        loop.induction_variable,
        function.entry.args[0],
        body.results[0],
        reduced.results[0],
        reduced.regions[0].block.args[0],
    ):
        assert forwarded_from(value) is None
    assert forwarded_to(body, body.operands[0]) == ()
    condition = ops["while"].regions[0].block.last_op
    assert isinstance(condition, scf.ConditionOp)
    assert forwarded_to(condition, condition.condition) == ()


def test_a_value_passed_twice_has_each_receiver_once() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    loop.terminator.operands = [loop.yielded_values[0]] * 2
    receivers = (*loop.iter_args, *loop.results)
    assert forwarded_to(loop.terminator, loop.yielded_values[0]) == receivers


def test_a_block_argument() -> None:
    module, _ = control_flow()
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    entry, first, second = function.regions[0].blocks
    conditional, jump = entry.last_op, second.last_op
    assert isinstance(conditional, cf.CondBranchOp)
    assert isinstance(jump, cf.BranchOp)
    assert set(forwarded_from(first.args[0]) or ()) == {conditional.operands[1], jump.operands[0]}
    assert forwarded_to(conditional, conditional.operands[1]) == (first.args[0],)
    assert forwarded_to(jump, jump.operands[0]) == (first.args[0],)
