"""Synchronization of ttng: mbarriers in shared memory, clusters, proxy fences.

ttng.init_barrier %b, 1              one arrival completes a phase of the mbarrier
ttng.barrier_expect %b, 8192, %p     arrive, and expect 8192 bytes of TMA copies in this phase
ttng.wait_barrier %b, %phase         wait until the phase of that parity is complete
ttng.inval_barrier %b                invalidate the mbarrier; its memory can be reused

Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, i32_prop
from weft.ir.module_attributes import lookup_num_ctas
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import MEMDESC
from weft.ir.type_constraints import I1, I32

__all__ = [
    "OPERATIONS",
    "ArriveBarrierOp",
    "AsyncCopyMbarrierArriveOp",
    "BarrierExpectOp",
    "BarrierInit",
    "BarrierOp",
    "ClusterArriveOp",
    "ClusterOp",
    "ClusterWaitOp",
    "FenceAsyncSharedOp",
    "FenceMBarrierInitReleaseClusterOp",
    "InitBarrierOp",
    "InvalBarrierOp",
    "WaitBarrierOp",
    "check_barrier",
    "check_count",
    "require_cluster",
]


def check_barrier(op: Op, value: SSAValue) -> None:
    """Require an mbarrier: a buffer of one dimension, with at most an i64 per CTA of the cluster.

    Raises:
        VerifyException: The value is of another type.
    """
    memory = memdesc_type(op, value)
    is_i64 = types.is_integer(memory.element_type) and types.bit_width(memory.element_type) == 64
    if not is_i64 or len(memory.shape) != 1 or memory.shape[0] > lookup_num_ctas(op):
        raise VerifyException(
            "barrier allocation must be a descriptor of Nxi64 type with N <= number of CTAs"
        )


def check_count(count: IntegerAttr) -> None:
    """Require at least one arrival.

    Raises:
        VerifyException: The count is less.
    """
    if count.value.data < 1:
        raise VerifyException("count must be greater than or equal to 1")


class BarrierOp(Op):
    """An operation on an mbarrier, its first operand."""

    def verify_(self) -> None:
        check_barrier(self, self.operands[0])


class BarrierInit(BarrierOp):
    """The initialization of an mbarrier that `count` arrivals complete."""

    alloc = operand_def(MEMDESC)
    count = i32_prop()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $count attr-dict `:` type($alloc)"


@operation
class InitBarrierOp(BarrierInit):
    """Initialize an mbarrier that `count` arrivals complete.

    `ttng.init_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "ttng.init_barrier"


@operation
class InvalBarrierOp(BarrierOp):
    """Invalidate an mbarrier.

    `ttng.inval_barrier %b : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "ttng.inval_barrier"
    alloc = operand_def(MEMDESC)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc attr-dict `:` type($alloc)"


@operation
class BarrierExpectOp(BarrierOp):
    """Arrive, and expect `size` more bytes of copies in this phase, if `pred` is true.

    `ttng.barrier_expect %b, 8192, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "ttng.barrier_expect"
    alloc = operand_def(MEMDESC)
    pred = operand_def(I1)
    size = i32_prop()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $size attr-dict `,` $pred `:` type($alloc)"
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}


@operation
class WaitBarrierOp(BarrierOp):
    """Wait until the phase of the given parity is complete.

    `deps` are buffers that asynchronous operations access until then.

    `ttng.wait_barrier %b, %phase, %p deps %x, %y : !ttg.memdesc<1xi64, …>, !ttg.memdesc<…>, …`
    """

    name = "ttng.wait_barrier"
    alloc = operand_def(MEMDESC)
    phase = operand_def(I32)
    pred = opt_operand_def(I1)
    deps = var_operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` type($alloc) "
        "(`,` type($deps)^)?"
    )
    INFER: ClassVar[Infer] = {"phase": fixed(types.i32), "pred": fixed(types.i1)}


@operation
class ArriveBarrierOp(BarrierOp):
    """Arrive `count` times, if `pred` is true.

    `ttng.arrive_barrier %b, 1, %p : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "ttng.arrive_barrier"
    alloc = operand_def(MEMDESC)
    optionals = var_operand_def(I1)
    count = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("pred",)
    FORMAT: ClassVar[str] = "$alloc `,` $count (`,` $pred^)? attr-dict `:` type($alloc)"
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    @property
    def pred(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        super().verify_()
        check_count(self.count)


@operation
class AsyncCopyMbarrierArriveOp(Op):
    """Arrive when all cp.async copies that this thread issued are complete.

    `ttng.async_copy_mbarrier_arrive %b {noIncrement} : !ttg.memdesc<1xi64, …>`
    """

    name = "ttng.async_copy_mbarrier_arrive"
    barrier = operand_def(MEMDESC)
    noIncrement = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$barrier attr-dict `:` type($barrier)"


@operation
class FenceAsyncSharedOp(Op):
    """Proxy fence: make writes of threads to shared memory visible to the async proxy (TMA, MMA).

    `ttng.fence_async_shared {bCluster = false}`
    """

    name = "ttng.fence_async_shared"
    bCluster = bool_prop()
    FORMAT: ClassVar[str] = "attr-dict"


def require_cluster(op: Op) -> None:
    """Require a module whose programs run on several CTAs.

    Raises:
        VerifyException: `ttg.num-ctas` is 1 or absent.
    """
    if lookup_num_ctas(op) <= 1:
        raise VerifyException("requires ttg.num-ctas > 1")


class ClusterOp(Op):
    """An operation for all CTAs of a cluster, which needs a module for clusters."""

    FORMAT: ClassVar[str] = "attr-dict"

    def verify_(self) -> None:
        require_cluster(self)


@operation
class FenceMBarrierInitReleaseClusterOp(ClusterOp):
    """Make the initialization of mbarriers visible to the other CTAs of the cluster.

    `ttng.fence_mbarrier_init_release_cluster`
    """

    name = "ttng.fence_mbarrier_init_release_cluster"


@operation
class ClusterArriveOp(ClusterOp):
    """Arrive at the barrier of the cluster.  `ttng.cluster_arrive {relaxed = true}`"""

    name = "ttng.cluster_arrive"
    relaxed = bool_prop()


@operation
class ClusterWaitOp(ClusterOp):
    """Wait until all CTAs of the cluster have arrived.  `ttng.cluster_wait`"""

    name = "ttng.cluster_wait"


OPERATIONS = (
    InitBarrierOp,
    InvalBarrierOp,
    BarrierExpectOp,
    WaitBarrierOp,
    ArriveBarrierOp,
    AsyncCopyMbarrierArriveOp,
    FenceAsyncSharedOp,
    FenceMBarrierInitReleaseClusterOp,
    ClusterArriveOp,
    ClusterWaitOp,
)
