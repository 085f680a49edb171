"""Dots with operands in memory: wgmma and tcgen05 compute what tt.dot and tt.dot_scaled do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter.ops.dot import ScaledSide, multiply_add, supported_format
from weft.interpreter.ops.memory_descriptors import buffer_of, operand_index, write
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.rounding import narrow, widen
from weft.interpreter.values import Value, dense
from weft.ir import ttng
from weft.ir.enums import InputPrecision, ScaleDotElemType

_TOKEN = np.zeros((1,), np.bool_)
_TF32 = InputPrecision.TF32.attr()


def _multiply(op: Operation, precision: Attribute) -> Callable[[Value, Value, Value], np.ndarray]:
    """Make f(a, b, c) = a · b + c from the types of the first three operands."""
    (a_shape, a_type), (b_shape, _) = (buffer_of(value) for value in op.operands[:2])
    _, dtype = buffer_of(op.operands[2])
    return multiply_add((a_shape, b_shape), a_type, dtype, precision)


@pure(ttng.WarpGroupDotOp)
def warp_group_dot(op: Operation) -> Evaluate:
    """Multiply, and add c; zero for the instances whose `useC` is false."""
    multiply = _multiply(op, op.properties["inputPrecision"])

    def run(a: Value, b: Value, c: Value, use: Value | None = None) -> np.ndarray:
        return multiply(a, b, c if use is None else _accumulator(dense(c), dense(use)))

    return run


def _accumulator(c: np.ndarray, use: np.ndarray) -> np.ndarray:
    """Select c where `use` is true, zero for the other instances."""
    condition = use.reshape(-1, *(1,) * (c.ndim - 1))
    return np.where(condition, c, np.zeros((), c.dtype))


@pure(ttng.WarpGroupDotWaitOp)
def wait(op: Operation) -> Evaluate:
    """Return the inputs: dots complete at once."""
    has_several = len(op.results) > 1
    return lambda *values: values if has_several else values[0]


@effect(ttng.TCGen5MMAOp)
def tensor_memory_dot(op: Operation) -> Evaluate:
    """Multiply into the accumulator in tensor memory."""
    multiply = _multiply(op, _TF32)
    use, predicate = operand_index(op, "useD"), operand_index(op, "pred")
    with_token = bool(op.results)

    def run(batch: Batch, *values: Value) -> object:
        accumulator = dense(values[2])
        c = _accumulator(accumulator, dense(values[use]))
        write(accumulator, multiply(values[0], values[1], c), dense(values[predicate]))
        return _TOKEN if with_token else None

    return run


@effect(ttng.TCGen5MMAScaledOp)
def tensor_memory_dot_scaled(op: Operation) -> Evaluate:
    """Multiply scaled operands, packed along K, into the accumulator in tensor memory."""
    sides = []
    for which, name in enumerate("ab"):
        scale = getattr(op, f"{name}_scale")
        kind = supported_format(op, ScaleDotElemType.of(op.properties[f"{name}_type"]))
        shapes = buffer_of(op.operands[which])[0], buffer_of(scale)[0]
        sides.append(ScaledSide(kind, True, *shapes, left=not which))
    positions = [operand_index(op, name) for name in ("a_scale", "b_scale", "useD", "pred")]
    dtype = buffer_of(op.operands[2])[1]
    with_token = bool(op.results)

    def run(batch: Batch, *values: Value) -> object:
        accumulator = dense(values[2])
        left, right = (
            side.numbers(values[which], values[positions[which]])
            for which, side in enumerate(sides)
        )
        c = _accumulator(accumulator, dense(values[positions[2]]))
        total = narrow(widen(c) + np.matmul(left, right), dtype)
        write(accumulator, total, dense(values[positions[3]]))
        return _TOKEN if with_token else None

    return run


@pure(
    ttng.InitBarrierOp,
    ttng.InvalBarrierOp,
    ttng.WaitBarrierOp,
    ttng.BarrierExpectOp,
    ttng.ArriveBarrierOp,
    ttng.TCGen5CommitOp,
)
def hardware_barrier(op: Operation) -> Evaluate:
    """Do nothing: what a barrier waits for completes with the operation that starts it."""
    return lambda *_: None
