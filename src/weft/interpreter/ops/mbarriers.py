"""mbarriers: objects in shared memory that count arrivals and bytes."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.interpreter.ops.memory_descriptors import operand_index
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Value, dense
from weft.ir import amdg, locations, ttng
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp


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
            state = batch.async_operations
            state.mbarrier(barrier, location).arrive(1, location, size)
            state.switch()

    return run


@effect(ttng.ArriveBarrierOp)
def arrive(op: Operation) -> Evaluate:
    """Arrive, if the predicate is true."""
    count, location = int_of(op, "count"), locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray, predicate: np.ndarray | None = None) -> None:
        if predicate is None or dense(predicate).all():
            state = batch.async_operations
            state.mbarrier(barrier, location).arrive(count, location)
            state.switch()

    return run


@effect(ttng.WaitBarrierOp)
def wait(op: Operation) -> Evaluate:
    """Wait for the phase with a parity, if the predicate is true."""
    assert isinstance(op, ttng.WaitBarrierOp)
    location = locations.position(op.location)
    predicate = None if op.pred is None else operand_index(op, "pred")

    def run(batch: Batch, barrier: np.ndarray, phase: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 2]).all():
            state = batch.async_operations
            mbarrier = state.mbarrier(barrier, location)
            state.wait_for_phase(mbarrier, int(phase.item()) & 1, location)

    return run


@effect(ttng.TCGen5CommitOp)
def commit(op: Operation) -> Evaluate:
    """Arrive when the MMAs that were started before are complete."""
    assert isinstance(op, ttng.TCGen5CommitOp)
    location = locations.position(op.location)
    predicate = None if op.pred is None else operand_index(op, "pred")

    def run(batch: Batch, barrier: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 1]).all():
            state = batch.async_operations
            state.arrive_after_mmas(state.mbarrier(barrier, location), location)

    return run


@effect(ttng.AsyncCopyMbarrierArriveOp)
def arrive_after_copies(op: Operation) -> Evaluate:
    """Let every thread arrive when the copies that were started before are complete."""
    threads, location = _threads(op), locations.position(op.location)
    expected = "noIncrement" in op.properties

    def run(batch: Batch, barrier: np.ndarray) -> None:
        batch.async_operations.arrive_after_copies(barrier, threads, location, expected=expected)

    return run


def _threads(op: Operation) -> int:
    """Compute how many threads run an operation."""
    module = op.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    return lookup_num_warps(op) * lookup_threads_per_warp(module)


# ------------------------------------------------------------------------ AMD: barriers in LDS
@effect(amdg.InitBarrierOp)
def init_in_lds(op: Operation) -> Evaluate:
    """Initialize a barrier with a count of arrivals."""
    count = int_of(op, "count")
    return lambda batch, barrier: batch.async_operations.init_mbarrier(barrier, count)


@effect(amdg.ArriveBarrierOp)
def arrive_in_lds(op: Operation) -> Evaluate:
    """Let every thread arrive; return the parity of the phase before."""
    count, location = int_of(op, "count") * _threads(op), locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray) -> np.ndarray:
        state = batch.async_operations
        mbarrier = state.mbarrier(barrier, location)
        phase = np.array([mbarrier.phase], np.int32)
        mbarrier.arrive(count, location)
        state.switch()
        return phase

    return run


@effect(amdg.WaitBarrierOp)
def wait_in_lds(op: Operation) -> Evaluate:
    """Wait for the phase with a parity."""
    location = locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray, phase: np.ndarray) -> None:
        state = batch.async_operations
        mbarrier = state.mbarrier(barrier, location)
        state.wait_for_phase(mbarrier, int(dense(phase).item()) & 1, location)

    return run


@effect(amdg.AsyncCopyMbarrierArriveOp)
def arrive_after_copies_to_lds(op: Operation) -> Evaluate:
    """Let every thread arrive when the copies that were started before are complete."""
    threads, location = _threads(op), locations.position(op.location)

    def run(batch: Batch, barrier: np.ndarray) -> None:
        batch.async_operations.arrive_after_copies(barrier, threads, location, expected=True)

    return run
