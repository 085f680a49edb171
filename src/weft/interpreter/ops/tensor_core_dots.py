"""Dots with operands in memory: wgmma and tcgen05 compute what tt.dot and tt.dot_scaled do.

An asynchronous one computes when it is waited for (`async_operations`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter.deferred_accesses import read_later, undefined
from weft.interpreter.ops.dot import ScaledSide, multiply_add, supported_format
from weft.interpreter.ops.memory_descriptors import buffer_of, operand_index, write
from weft.interpreter.ops.multicast import count_commits
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import flag_of, int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.rounding import narrow, widen
from weft.interpreter.values import Value, dense
from weft.ir import locations, ttg, ttng
from weft.ir.enums import InputPrecision, ScaleDotElemType

_TOKEN = np.zeros((1,), np.bool_)
_TF32 = InputPrecision.TF32.attr()


def _multiply(op: Operation, precision: Attribute) -> Callable[[Value, Value, Value], np.ndarray]:
    """Make f(a, b, c) = a · b + c from the types of the first three operands."""
    (a_shape, a_type), (b_shape, _) = (buffer_of(value) for value in op.operands[:2])
    _, dtype = buffer_of(op.operands[2])
    return multiply_add((a_shape, b_shape), a_type, dtype, precision)


@effect(ttng.WarpGroupDotOp)
def warp_group_dot(op: Operation) -> Evaluate:
    """Multiply, and add c; zero for the instances whose `useC` is false."""
    multiply = _multiply(op, op.properties["inputPrecision"])
    is_async, (shape, dtype) = flag_of(op, "isAsync"), buffer_of(op.results[0])
    values_in_shared = _in_shared_memory(op)

    def run(batch: Batch, a: Value, b: Value, c: Value, use: Value | None = None) -> np.ndarray:
        result = np.full((batch.size, *shape), undefined(dtype), dtype)
        left, right = _reads(values_in_shared, (a, b))

        def complete() -> None:
            total = c if use is None else _accumulator(dense(c), dense(use))
            result[...] = multiply(left(), right(), total)

        batch.async_operations.start_mma(complete)
        if not is_async:
            batch.async_operations.wait_for_mmas(0)
        return result

    return run


def _in_shared_memory(op: Operation) -> tuple[bool, ...]:
    """List which of the operands a and b are in shared memory.

    Copies to tensor memory run in order with the MMAs, so that operands there may be pending.
    """
    memories = (value.type for value in op.operands[:2])
    return tuple(
        isinstance(memory, ttg.MemDescType)
        and isinstance(memory.memory_space, ttg.SharedMemoryAttr)
        for memory in memories
    )


def _reads(in_shared: Sequence[bool], values: Sequence[Value]) -> list[Callable[[], Value]]:
    """Make functions that read operands when an MMA completes."""
    return [
        read_later(dense(value)) if is_shared else (lambda value=value: value)
        for is_shared, value in zip(in_shared, values, strict=True)
    ]


def _accumulator(c: np.ndarray, use: np.ndarray) -> np.ndarray:
    """Select c where `use` is true, zero for the other instances."""
    condition = use.reshape(-1, *(1,) * (c.ndim - 1))
    return np.where(condition, c, np.zeros((), c.dtype))


@effect(ttng.WarpGroupDotWaitOp)
def wait(op: Operation) -> Evaluate:
    """Wait until at most `pendings` dots are pending, and return the inputs."""
    pending, has_several = int_of(op, "pendings"), len(op.results) > 1

    def run(batch: Batch, *values: Value) -> object:
        batch.async_operations.wait_for_mmas(pending)
        return values if has_several else values[0]

    return run


def _start(op: Operation) -> Callable[[Batch, Sequence[Value], Callable[[], None]], None]:
    """Make f(batch, operands, complete), which starts an MMA of tcgen05."""
    assert isinstance(op, ttng.TCGen5MMAOp | ttng.TCGen5MMAScaledOp)
    is_async = bool(op.barriers) or op.is_async is not None
    operands = list(op.operands)
    barriers = [operands.index(barrier) for barrier in op.barriers]
    predicates = [operands.index(predicate) for predicate in op.barrier_preds]
    location = locations.position(op.location)
    is_multicast = "multicast" in op.properties
    count = count_commits(op, op.operands[:2] if is_multicast else ())

    def run(batch: Batch, values: Sequence[Value], complete: Callable[[], None]) -> None:
        pending = batch.async_operations
        if not is_async:
            pending.wait_for_mmas(0)
            complete()
            return
        pending.start_mma(complete)
        for barrier, predicate in zip(barriers, predicates, strict=True):
            if dense(values[predicate]).all():
                mbarrier = pending.mbarrier(dense(values[barrier]), location)
                pending.arrive_after_mmas(mbarrier, location, count)

    return run


@effect(ttng.TCGen5MMAOp)
def tensor_memory_dot(op: Operation) -> Evaluate:
    """Multiply into the accumulator in tensor memory."""
    multiply = _multiply(op, _TF32)
    use, predicate = operand_index(op, "useD"), operand_index(op, "pred")
    with_token = bool(op.results)

    start, values_in_shared = _start(op), _in_shared_memory(op)

    def run(batch: Batch, *values: Value) -> object:
        left, right = _reads(values_in_shared, values[:2])

        def complete() -> None:
            accumulator = dense(values[2])
            c = _accumulator(accumulator, dense(values[use]))
            write(accumulator, multiply(left(), right(), c), dense(values[predicate]))

        start(batch, values, complete)
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

    start, values_in_shared = _start(op), _in_shared_memory(op)

    def run(batch: Batch, *values: Value) -> object:
        reads = _reads(values_in_shared, values[:2])

        def complete() -> None:
            accumulator = dense(values[2])
            left, right = (
                side.numbers(reads[which](), values[positions[which]])
                for which, side in enumerate(sides)
            )
            c = _accumulator(accumulator, dense(values[positions[2]]))
            total = narrow(widen(c) + np.matmul(left, right), dtype)
            write(accumulator, total, dense(values[positions[3]]))

        start(batch, values, complete)
        return _TOKEN if with_token else None

    return run


@effect(ttng.TMEMCopyOp)
def copy(op: Operation) -> Evaluate:
    """Start a copy from shared to tensor memory, in order with the MMAs."""
    assert isinstance(op, ttng.TMEMCopyOp)
    location = locations.position(op.location)

    def run(
        batch: Batch, source: np.ndarray, target: np.ndarray, barrier: np.ndarray | None = None
    ) -> None:
        target[...] = undefined(target.dtype)
        read = read_later(source)

        def complete() -> None:
            target[...] = read().view(target.dtype)  # bits, as of scales in i8 and in fp8

        state = batch.async_operations
        state.start_mma(complete)
        if barrier is not None:
            state.arrive_after_mmas(state.mbarrier(barrier, location), location)

    return run
