"""Pointers, loads and stores."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number, advance
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.element_access import make_load, make_store, pointee
from weft.interpreter.ops import tensor_descriptors
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.values import Value
from weft.ir import tt, types


@pure(tt.AddPtrOp)
def addptr(op: Operation) -> Evaluate:
    """Advance pointers by offsets in elements."""
    size = dtype_of(pointee(op.operands[0].type)).itemsize
    return lambda pointer, offset: advance(pointer, offset, size)


@effect(tt.LoadOp)
def load(op: Operation) -> Evaluate:
    """Load a tile; inactive elements are `other`, or zero."""
    target = pointee(op.operands[0].type)
    if types.is_tensor(target):
        return tensor_descriptors.load(op, target)
    read, shape = make_load(op, target), types.shape(op.results[0].type)

    def run(
        batch: Batch, pointer: Number, mask: np.ndarray | None = None, other: Number | None = None
    ) -> np.ndarray:
        return read(batch, pointer, mask, other, shape)

    return run


@effect(tt.StoreOp)
def store(op: Operation) -> Evaluate:
    """Store the active elements of a tile."""
    target = pointee(op.operands[0].type)
    if types.is_tensor(target):
        return tensor_descriptors.store(op, target)
    write, shape = make_store(op, target), types.shape(op.operands[1].type)

    def run(batch: Batch, pointer: Number, value: Value, mask: np.ndarray | None = None) -> None:
        write(batch, pointer, value, mask, shape)

    return run
