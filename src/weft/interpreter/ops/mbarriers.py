"""mbarriers: objects in shared memory that count arrivals and bytes, and AMD's barriers in LDS."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.interpreter.ops.memory_descriptors import operand_index
from weft.interpreter.ops.multicast import count_commits
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Value, dense
from weft.ir import amdg, locations, ttng, types
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp


@effect(ttng.InitBarrierOp, amdg.InitBarrierOp)
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


@effect(ttng.WaitBarrierOp, amdg.WaitBarrierOp)
def wait(op: Operation) -> Evaluate:
    """Wait for the phase with a parity, if the predicate is true."""
    location = locations.position(op.location)
    has_predicate = isinstance(op, ttng.WaitBarrierOp) and op.pred is not None
    predicate = operand_index(op, "pred") if has_predicate else None

    def run(batch: Batch, barrier: np.ndarray, phase: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 2]).all():
            state = batch.async_operations
            mbarrier = state.mbarrier(barrier, location)
            state.wait_for_phase(mbarrier, int(dense(phase).item()) & 1, location)

    return run


@effect(ttng.TCGen5CommitOp)
def commit(op: Operation) -> Evaluate:
    """Arrive when the MMAs that were started before are complete."""
    assert isinstance(op, ttng.TCGen5CommitOp)
    location, count = locations.position(op.location), count_commits(op, op.descs)
    predicate = None if op.pred is None else operand_index(op, "pred")

    def run(batch: Batch, barrier: np.ndarray, *values: Value) -> None:
        if predicate is None or dense(values[predicate - 1]).all():
            state = batch.async_operations
            state.arrive_after_mmas(state.mbarrier(barrier, location), location, count)

    return run


@effect(ttng.AsyncCopyMbarrierArriveOp, amdg.AsyncCopyMbarrierArriveOp)
def arrive_after_copies(op: Operation) -> Evaluate:
    """Let every thread arrive when the copies that were started before are complete."""
    threads, location = _threads(op), locations.position(op.location)
    # The count of a barrier in LDS always includes these arrivals.
    expected = isinstance(op, amdg.AsyncCopyMbarrierArriveOp) or "noIncrement" in op.properties

    def run(batch: Batch, barrier: np.ndarray) -> None:
        batch.async_operations.arrive_after_copies(barrier, threads, location, expected=expected)

    return run


def _threads(op: Operation) -> int:
    """Compute how many threads run an operation."""
    module = op.get_toplevel_object()
    assert isinstance(module, ModuleOp)
    return lookup_num_warps(op) * _lanes(module)


def _lanes(module: ModuleOp) -> int:
    """Find the lanes of a warp: those of the layouts, as the CPU device itself has one lane."""
    for op in module.walk():
        for result in op.results:
            encoding = types.encoding(result.type)
            if encoding is not None:
                return encoding.linear(types.shape(result.type)).in_size("lane")
    return lookup_threads_per_warp(module)


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
