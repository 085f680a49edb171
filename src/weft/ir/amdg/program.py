"""Operations of amdg on the order of things: barriers, hints to the scheduler, masked access."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from weft.ir import types
from weft.ir.amdg.types import SchedHintVariantAttr
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import CacheModifier
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import memdesc_of
from weft.ir.ttng.barrier import check_barrier, check_cluster

__all__ = [
    "OPERATIONS",
    "ArriveBarrierOp",
    "AsyncCopyMbarrierArriveOp",
    "ClusterBarrierArriveOp",
    "ClusterBarrierWaitOp",
    "CondBarrierOp",
    "InitBarrierOp",
    "InstructionSchedHintOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "WaitBarrierOp",
]


@operation
class CondBarrierOp(Op):
    """Wait at the block's barrier where the predicate holds; the other warps go on.

    `amdg.cond_barrier %p`
    """

    name = "amdg.cond_barrier"
    pred = operand_def(types.i1)
    FORMAT: ClassVar[str] = "$pred attr-dict"
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}


@operation
class InstructionSchedHintOp(Op):
    """Name the way in which the instructions of this loop are to be ordered.

    `amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}`
    """

    name = "amdg.instruction_sched_hint"
    variant = prop_def(SchedHintVariantAttr)
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class InitBarrierOp(Op):
    """Make a barrier in shared memory that `count` arrivals complete.

    `amdg.init_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.init_barrier"
    alloc = operand_def()
    count = i32_prop()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $count attr-dict `:` type($alloc)"

    def verify_(self) -> None:
        check_barrier(self, self.alloc)


@operation
class WaitBarrierOp(Op):
    """Wait until the phase of a parity is complete.

    `amdg.wait_barrier %b, %phase : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.wait_barrier"
    alloc = operand_def()
    phase = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $phase attr-dict `:` type($alloc)"
    INFER: ClassVar[Infer] = {"phase": fixed(types.i32)}

    def verify_(self) -> None:
        check_barrier(self, self.alloc)


@operation
class ArriveBarrierOp(Op):
    """Arrive `count` times; gives the parity of the phase before.

    `%phase = amdg.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable> -> i32`
    """

    name = "amdg.arrive_barrier"
    alloc = operand_def()
    count = i32_prop()
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$alloc `,` $count attr-dict `:` type($alloc) `->` type($result)"

    def verify_(self) -> None:
        check_barrier(self, self.alloc)


@operation
class AsyncCopyMbarrierArriveOp(Op):
    """Arrive once all copies that this thread has issued are complete.

    `amdg.async_copy_mbarrier_arrive %b : !ttg.memdesc<1xi64, #shared, #smem, mutable>`
    """

    name = "amdg.async_copy_mbarrier_arrive"
    barrier = operand_def()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$barrier attr-dict `:` type($barrier)"

    def verify_(self) -> None:
        memdesc_of(self, self.barrier)


@operation
class ClusterBarrierArriveOp(Op):
    """Tell the cluster that this block has come here.  `amdg.cluster_barrier_arrive`"""

    name = "amdg.cluster_barrier_arrive"
    FORMAT: ClassVar[str] = "attr-dict"

    def verify_(self) -> None:
        check_cluster(self)


@operation
class ClusterBarrierWaitOp(Op):
    """Wait until all blocks of the cluster have arrived.  `amdg.cluster_barrier_wait`"""

    name = "amdg.cluster_barrier_wait"
    FORMAT: ClassVar[str] = "attr-dict"

    def verify_(self) -> None:
        check_cluster(self)


@operation
class MaskedLoadOp(Op):
    """Read a vector where the mask holds, else give `falseVal` (on its way to LLVM).

    `multicastMask` names the blocks of the cluster that get the data, too.

    `%v = amdg.masked_load %p, %m, %f cacheModifier = cg forceNoAlias true : (!llvm.ptr, i1,
    vector<8xf16>) -> vector<8xf16>`
    """

    name = "amdg.masked_load"
    ptr = operand_def()
    mask = operand_def()
    falseVal = operand_def()
    optionals = var_operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    forceNoAlias = bool_prop(False)
    result = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("multicastMask",)
    FORMAT: ClassVar[str] = (
        "$ptr `,` $mask `,` $falseVal (`,` $multicastMask^)? oilist(`cacheModifier` `=` $cache | "
        "`forceNoAlias` $forceNoAlias) attr-dict `:` functional-type(operands, results)"
    )

    @property
    def multicastMask(self) -> SSAValue | None:
        return self.operand_or_none(3)


@operation
class MaskedStoreOp(Op):
    """Write a vector where the mask holds (on its way to LLVM).

    `amdg.masked_store %p, %v, %m cacheModifier = cg : !llvm.ptr, vector<8xf16>, i1`
    """

    name = "amdg.masked_store"
    ptr = operand_def()
    value = operand_def()
    mask = operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    forceNoAlias = bool_prop(False)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$ptr `,` $value `,` $mask oilist(`cacheModifier` `=` $cache | `forceNoAlias` "
        "$forceNoAlias) attr-dict `:` type(operands)"
    )


OPERATIONS = (
    CondBarrierOp,
    InstructionSchedHintOp,
    InitBarrierOp,
    WaitBarrierOp,
    ArriveBarrierOp,
    AsyncCopyMbarrierArriveOp,
    ClusterBarrierArriveOp,
    ClusterBarrierWaitOp,
    MaskedLoadOp,
    MaskedStoreOp,
)
