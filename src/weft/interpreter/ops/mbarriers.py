"""mbarriers: objects in shared memory that count arrivals and bytes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.ops.memory_descriptors import operand_index
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Value, dense
from weft.ir import locations, ttng


@effect(ttng.InitBarrierOp)
def init(op: Operation) -> Evaluate:
    """Initialize an mbarrier with a count of arrivals."""
    count = int_of(op, "count")
    return lambda batch, barrier: batch.async_operations.init_mbarrier(barrier, count)


@effect(ttng.InvalBarrierOp)
def inval(op: Operation) -> Evaluate:
    """Invalidate an mbarrier."""
    return lambda batch, barrier: batch.async_operations.inval_mbarrier(barrier)


@effect(ttng.BarrierExpectOp)
def expect(op: Operation) -> Evaluate:
    """Arrive, and let the phase wait for bytes of TMA copies, if the predicate is true."""
    size, location = int_of(op, "size"), locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray, predicate: np.ndarray) -> None:
        if dense(predicate).all():
            batch.async_operations.arrive(barrier, 1, location, size)

    return run


@effect(ttng.ArriveBarrierOp)
def arrive(op: Operation) -> Evaluate:
    """Arrive, if the predicate is true."""
    count, location = int_of(op, "count"), locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray, predicate: np.ndarray | None = None) -> None:
        if predicate is None or dense(predicate).all():
            batch.async_operations.arrive(barrier, count, location)

    return run


@effect(ttng.WaitBarrierOp)
def wait(op: Operation) -> Evaluate:
    """Wait for the phase with a parity, if the predicate is true."""
    assert isinstance(op, ttng.WaitBarrierOp)
    location = locations.position(op.location)
    predicate = None if op.pred is None else operand_index(op, "pred")

    def run(batch: Batch, barrier: np.ndarray, phase: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 2]).all():
            batch.async_operations.wait_for_phase(barrier, int(phase.item()) & 1, location)

    return run


@effect(ttng.TCGen5CommitOp)
def commit(op: Operation) -> Evaluate:
    """Arrive when the MMAs that were started before are complete."""
    assert isinstance(op, ttng.TCGen5CommitOp)
    location = locations.position(op.location)
    predicate = None if op.pred is None else operand_index(op, "pred")

    def run(batch: Batch, barrier: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 1]).all():
            pending = batch.async_operations
            pending.start_mma(lambda: pending.arrive(barrier, 1, location))

    return run
