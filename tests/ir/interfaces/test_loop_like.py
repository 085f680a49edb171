"""Bounds and loop-carried values of loops."""

from __future__ import annotations

import pytest

from tests.ir.interfaces.programs import RECORDED, control_flow
from weft.ir import scf
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.rewriting import walk
from weft.ir.text import parse_module


@pytest.mark.parametrize("name", RECORDED)
def test_loop_carried_values_correspond(name: str) -> None:
    for op in walk(parse_module(RECORDED[name])):
        if not isinstance(op, LoopLikeOpInterface):
            continue
        kinds = [value.type for value in op.init_args]
        assert [value.type for value in op.iter_args] == kinds
        assert [value.type for value in op.yielded_values] == kinds
        assert [value.type for value in op.loop_results] in (kinds, [])
        assert (op.bounds is None) == (op.induction_variable is None)
        entries = [edge for edge in op.entry_edges() if edge.region is op.loop_regions[0]]
        assert [(e.operands, e.inputs) for e in entries] == [(op.init_args, op.iter_args)]


def test_a_for_loop() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    assert loop.bounds == tuple(loop.operands[:3])
    assert loop.bounds.upper is loop.upper_bound
    assert loop.induction_variable is loop.block.args[0]
    assert loop.init_args == tuple(loop.operands[3:])
    assert loop.iter_args == tuple(loop.block.args[1:])
    assert loop.yielded_values == tuple(loop.block.last_op.operands)  # pyright: ignore
    assert loop.loop_results == tuple(loop.results)
    assert loop.loop_regions == (loop.regions[0],)


def test_a_while_loop() -> None:
    _module, ops = control_flow()
    loop = ops["while"]
    assert isinstance(loop, scf.WhileOp)
    assert loop.bounds is None
    assert loop.induction_variable is None
    assert loop.init_args == tuple(loop.operands)
    assert loop.iter_args == tuple(loop.regions[0].block.args)
    assert loop.yielded_values == tuple(loop.regions[1].block.last_op.operands)  # pyright: ignore
    assert loop.loop_results == ()
    assert loop.loop_regions == tuple(loop.regions)


def test_values_defined_outside_a_loop() -> None:
    module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    inside = (*loop.block.args, *loop.block.ops.first.results)  # pyright: ignore
    outside = (*loop.operands, *loop.results, *ops["while"].results)
    assert not any(loop.is_defined_outside(value) for value in inside)
    assert all(loop.is_defined_outside(value) for value in outside)
    del module


def test_the_position_of_an_iter_arg() -> None:
    _module, ops = control_flow()
    loop = ops["for"]
    assert isinstance(loop, scf.ForOp)
    assert [loop.iter_arg_index(argument) for argument in loop.block.args] == [None, 0, 1]
    assert loop.iter_arg_index(loop.results[0]) is None
