"""Calls of functions and undefined values; `block_graph` handles branches between blocks."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.deferred_accesses import undefined
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.function_compiler import FunctionCompiler
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, Slots, Step, control, pure
from weft.interpreter.values import Bundle
from weft.ir import tt, ttg, types, ub


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
    """Produce zero for an undefined value, so that runs can be repeated.

    Buffers have undefined elements, so that their uses show; descriptors are empty.
    """
    type_ = op.results[0].type
    if type_ == ttg.async_token:
        return lambda: np.zeros(1, np.bool_)
    if isinstance(type_, ttg.MemDescType):
        dtype = dtype_of(type_.element_type)
        return lambda: np.full((1, *type_.shape), undefined(dtype), dtype)
    if isinstance(type_, types.TensorDescType):
        fields = 2 + 2 * len(types.shape(type_.block_type))
        return lambda: Bundle((np.zeros(1, np.int64),) * fields)
    zero = np.zeros((1,) * (1 + len(types.shape(type_))), dtype_of(type_))
    return lambda: zero
