"""Which buffers an operation reads and writes, as Triton's dialects declare it.

    ttng.wait_barrier %m         reads and writes %m
    ttng.barrier_expect %m       writes %m: weft's analyses call it a signal
    ttng.tc_gen5_mma …, %m       reads its operands; the mbarrier is not declared

The rows of `weft.analysis.shared_memory_effects` say what happens in hardware; here are the
differences.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.analysis.shared_memory_effects import is_in_shared_memory, shared_memory_effects
from weft.ir import amdg, ttg, ttng
from weft.ir.builtin import Operation, SSAValue
from weft.ir.context import UnregisteredOp

__all__ = ["buffers_of"]

_READ_AND_WRITE = (
    amdg.ArriveBarrierOp,
    amdg.AsyncCopyMbarrierArriveOp,
    amdg.WaitBarrierOp,
    ttng.ArriveBarrierOp,
    ttng.WaitBarrierOp,
)
# Operations whose mbarrier is not declared as memory.
_WITHOUT_SIGNALS = (
    amdg.AsyncTDMCopyGlobalToLocalOp,
    amdg.AsyncTDMCopyLocalToGlobalOp,
    amdg.AsyncTDMGatherOp,
    amdg.AsyncTDMScatterOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMCopyOp,
)


def buffers_of(op: Operation) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """List the memory descriptors through which an operation reads, and those it writes."""
    if isinstance(op, UnregisteredOp):
        return (), ()
    if isinstance(op, _READ_AND_WRITE):
        barriers = [value for value in op.operands if is_in_shared_memory(value)]
        return barriers, barriers
    effects = shared_memory_effects(op)
    if isinstance(op, ttng.AsyncCopyMbarrierArriveOp):
        return (), effects.reads
    if isinstance(op, ttg.LocalAllocOp):
        return (), effects.writes
    signals = () if isinstance(op, _WITHOUT_SIGNALS) else effects.signals
    return effects.reads, (*effects.writes, *signals)
