"""Calls and the functions that they call."""

from __future__ import annotations

from tests.ir.interfaces.programs import control_flow
from weft.ir import tt
from weft.ir.interfaces import CallableOpInterface, CallOpInterface
from weft.ir.rewriting import walk


def test_a_call_names_its_callee_and_arguments() -> None:
    module, _ = control_flow()
    (call,) = [op for op in walk(module) if isinstance(op, CallOpInterface)]
    assert call.callee_name == "callee"
    assert call.arg_operands == tuple(call.operands)


def test_a_function_has_a_body_unless_it_is_declared_only() -> None:
    module, _ = control_flow()
    functions = [op for op in module.body.block.ops if isinstance(op, CallableOpInterface)]
    caller, callee, declared = functions
    assert callee.callable_region is callee.regions[0]
    assert callee.callable_arguments == tuple(callee.regions[0].block.args)
    assert declared.callable_region is None
    assert declared.callable_arguments == ()
    assert list(declared.return_ops()) == []
    (returning,) = caller.return_ops()
    assert isinstance(returning, tt.ReturnOp)
    assert returning.parent is caller.regions[0].blocks[1]
