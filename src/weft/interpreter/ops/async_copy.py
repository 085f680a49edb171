"""Asynchronous copies from global to shared memory (cp.async), and waits for groups of them."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.element_access import make_load, pointee
from weft.interpreter.ops.memory_descriptors import operand_index
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Value, dense
from weft.ir import ttg, types

_TOKEN = np.zeros((1,), np.bool_)


@effect(ttg.AsyncCopyGlobalToLocalOp)
def copy(op: Operation) -> Evaluate:
    """Start a copy; inactive elements are `other`, or zero."""
    assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
    read, shape = make_load(op, pointee(op.src.type)), types.shape(op.src.type)
    mask, other = (
        None if value is None else operand_index(op, name)
        for name, value in (("mask", op.mask), ("other", op.other))
    )

    def run(batch: Batch, pointer: Number, buffer: np.ndarray, *values: Value) -> np.ndarray:
        condition = None if mask is None else dense(values[mask - 2])
        filler = None if other is None else dense(values[other - 2])
        batch.async_operations.copy(buffer, read(batch, pointer, condition, filler, shape))
        return _TOKEN

    return run


@effect(ttg.AsyncCommitGroupOp)
def commit_group(op: Operation) -> Evaluate:
    """Make a group of the copies since the last one."""

    def run(batch: Batch, *_: Value) -> np.ndarray:
        batch.async_operations.commit_group()
        return _TOKEN

    return run


@effect(ttg.AsyncWaitOp)
def wait(op: Operation) -> Evaluate:
    """Wait until at most `num` groups are pending."""
    pending = int_of(op, "num")

    def run(batch: Batch, *_: Value) -> np.ndarray:
        batch.async_operations.wait_for_groups(pending)
        return _TOKEN

    return run
