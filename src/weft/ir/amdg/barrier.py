"""Barriers and scheduling hints of amdg."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from weft.ir import types
from weft.ir.amdg.types import SchedHintVariantAttr
from weft.ir.constraints import i32_prop
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.types import MEMDESC
from weft.ir.ttng.barrier import BarrierInit, BarrierOp, ClusterOp, check_count
from weft.ir.type_constraints import I1, I32

__all__ = [
    "OPERATIONS",
    "ArriveBarrierOp",
    "AsyncCopyMbarrierArriveOp",
    "ClusterBarrierArriveOp",
    "ClusterBarrierWaitOp",
    "CondBarrierOp",
    "InitBarrierOp",
    "InstructionSchedHintOp",
    "WaitBarrierOp",
]


@operation
class CondBarrierOp(Op):
    """Wait at the barrier of the CTA if the predicate is true; other warps do not wait.

    `amdg.cond_barrier %p`
    """

    name = "amdg.cond_barrier"
    pred = operand_def(I1)
    FORMAT: ClassVar[str] = "$pred attr-dict"
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}


@operation
class InstructionSchedHintOp(Op):
    """Select how the back end schedules the instructions of the enclosing loop.

    `amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}`
    """

    name = "amdg.instruction_sched_hint"
    variant = prop_def(SchedHintVariantAttr)
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class InitBarrierOp(BarrierInit):
    """Initialize an mbarrier in shared memory that `count` arrivals complete.

    `amdg.init_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.init_barrier"

    def verify_(self) -> None:
        super().verify_()
        check_count(self.count)


@operation
class WaitBarrierOp(BarrierOp):
    """Wait until the phase of the given parity is complete.

    `amdg.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.wait_barrier"
    alloc = operand_def(MEMDESC)
    phase = operand_def(I32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $phase attr-dict `:` type($alloc)"
    INFER: ClassVar[Infer] = {"phase": fixed(types.i32)}


@operation
class ArriveBarrierOp(BarrierOp):
    """Arrive `count` times; returns the parity of the phase before.

    `%phase = amdg.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32`
    """

    name = "amdg.arrive_barrier"
    alloc = operand_def(MEMDESC)
    count = i32_prop()
    result = result_def(I32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $count attr-dict `:` type($alloc) `->` type($result)"

    def verify_(self) -> None:
        super().verify_()
        check_count(self.count)


@operation
class AsyncCopyMbarrierArriveOp(BarrierOp):
    """Arrive when all asynchronous copies that this thread issued are complete.

    `amdg.async_copy_mbarrier_arrive %b : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.async_copy_mbarrier_arrive"
    barrier = operand_def(MEMDESC)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$barrier attr-dict `:` type($barrier)"


@operation
class ClusterBarrierArriveOp(ClusterOp):
    """Arrive at the barrier of the cluster.  `amdg.cluster_barrier_arrive`"""

    name = "amdg.cluster_barrier_arrive"


@operation
class ClusterBarrierWaitOp(ClusterOp):
    """Wait until all CTAs of the cluster have arrived.  `amdg.cluster_barrier_wait`"""

    name = "amdg.cluster_barrier_wait"


OPERATIONS = (
    CondBarrierOp,
    InstructionSchedHintOp,
    InitBarrierOp,
    WaitBarrierOp,
    ArriveBarrierOp,
    AsyncCopyMbarrierArriveOp,
    ClusterBarrierArriveOp,
    ClusterBarrierWaitOp,
)
