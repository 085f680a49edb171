"""Calls of functions and undefined values; `block_graph` handles branches between blocks."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.dtypes import dtype_of
from weft.interpreter.function_compiler import FunctionCompiler
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, Slots, Step, control, pure
from weft.ir import tt, types, ub


@control(tt.CallOp)
def call(op: Operation, compiler: FunctionCompiler) -> Step:
    """Run another function of the module for the whole batch."""
    operands, results = compiler.slots(op.operands), compiler.slots(op.results)
    if not isinstance(op, tt.CallOp):
        raise TypeError(f"{op.name} is not a call")
    callee = compiler.call(op.callee.string_value(), op)

    def step(slots: Slots, batch: Batch) -> None:
        values = callee(batch, [slots[slot] for slot in operands])
        for slot, value in zip(results, values, strict=True):
            slots[slot] = value

    return step


@pure(ub.PoisonOp)
def poison(op: Operation) -> Evaluate:
    """Produce zero for an undefined value, so that runs can be repeated."""
    type_ = op.results[0].type
    zero = np.zeros((1,) * (1 + len(types.shape(type_))), dtype_of(type_))
    return lambda: zero
