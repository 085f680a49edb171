"""Barriers between the threads of a CTA: `ttg.barrier local`.

    ttg.local_store %x, %b          writes the bytes of %b
    ttg.barrier local               RAW
    %y = ttg.local_load %b          reads them

An operation with scratch memory writes it, synchronizes, and reads it. A conversion that stays in
its warps synchronizes these only. A wait for asynchronous copies is followed by a barrier, as each
thread waits for its own.

Source: Triton, Analysis/Membar.cpp; the pairs of operations that need no barrier are those of
TritonNVIDIAGPUToLLVM and TritonAMDGPUToLLVM/MembarUtility.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from weft.analysis.shared_memory_offsets import FunctionOffsets, ModuleOffsets
from weft.ir import amdg, attributes, gpu, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.builtin import Operation, SSAValue
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.rewriting import Builder
from weft.layouts import LinearLayout
from weft.passes.membar.accesses import Accesses, AccessKind
from weft.passes.membar.insertion import BarrierInsertion

__all__ = [
    "SYNCED_VIA_ASYNC_WAIT",
    "amd_needs_no_barrier",
    "insert_cta_barriers",
    "nvidia_needs_no_barrier",
]

SYNCED_VIA_ASYNC_WAIT = "ttg.amdg.syncedViaAsyncWait"
"""The attribute of loads from shared memory whose token comes from a wait."""

NeedsNoBarrier: TypeAlias = Callable[[Operation, Operation, FunctionOffsets], bool]

_LOCAL = 1  # the bit of `addrSpace`
_WARP_GROUP = 4  # warps
_WAITS = (
    amdg.AsyncTDMIntrinsicWaitOp,
    amdg.AsyncTDMWaitOp,
    amdg.AsyncWaitOp,
    ttg.AsyncWaitOp,
    ttng.TMAStoreWaitOp,
)


def insert_cta_barriers(offsets: ModuleOffsets, needs_no_barrier: NeedsNoBarrier) -> None:
    """Insert barriers into the functions of a module.

    Args:
        offsets: The shared memory of the functions.
        needs_no_barrier: Checks for an earlier and a later operation on the same bytes that need
            no barrier on the chip.
    """
    _CtaBarriers(needs_no_barrier).run(offsets)


class _CtaBarriers(BarrierInsertion):
    def __init__(self, needs_no_barrier: NeedsNoBarrier) -> None:
        super().__init__()
        self._needs_no_barrier = needs_no_barrier

    def visit(self, op: Operation, before: Accesses) -> Accesses:
        if _is_barrier(op):
            return Accesses()
        if isinstance(op, _WAITS):
            if op.next_op is None or not _is_barrier(op.next_op):
                _insert(Builder().after(op))
            return Accesses()
        accesses = self.accesses_of(op)
        scratch = self.scratch_of(op)
        if scratch is not None:
            accesses |= Accesses(writes=frozenset({(scratch, op)}))
        needs_barrier = before.is_hazard_before(accesses, self._is_safe)
        if needs_barrier:
            _insert(Builder().before(op))
            before = Accesses()
        if scratch is not None:
            if not _synchronizes_warps_only(op):
                before = Accesses()
            accesses |= Accesses(reads=frozenset({(scratch, op)}))
        return before | accesses

    def _is_safe(self, earlier: AccessKind, later: AccessKind) -> bool:
        return self._needs_no_barrier(earlier.op, later.op, self.offsets)


def _insert(builder: Builder) -> None:
    space = attributes.integer(_LOCAL, types.i32)
    builder.create(ttg.BarrierOp, properties={"addrSpace": space})


def _is_barrier(op: Operation) -> bool:
    """Check whether an operation orders all accesses of the CTA to shared memory."""
    if isinstance(op, ttg.BarrierOp):
        return bool(op.addrSpace.value.data & _LOCAL)
    if isinstance(op, ttng.WarpGroupDotWaitOp):
        is_group_local = {**op.properties, **op.attributes}.get("warpGroupLocal")
        return not number(is_group_local) and lookup_num_warps(op) > _WARP_GROUP
    return isinstance(
        op,
        gpu.BarrierOp | ttg.WarpSpecializePartitionsOp | ttng.ArriveBarrierOp | ttng.ClusterWaitOp,
    )


def _synchronizes_warps_only(op: Operation) -> bool:
    """Check whether a conversion exchanges values within warps that hold different values."""
    if not isinstance(op, ttg.ConvertLayoutOp):
        return False
    source, target = (_layout(value) for value in (op.operands[0], op.results[0]))
    # Where the source holds each element of the target.
    moves = target.invert_and_compose(source)
    return all(
        moves.is_trivial_over([dim])
        and not source.free_variable_masks().get(dim)
        and not target.free_variable_masks().get(dim)
        for dim in ("block", "warp")
    )


def _layout(value: SSAValue) -> LinearLayout:
    encoding = types.encoding(value.type)
    assert encoding is not None
    return encoding.linear(types.shape(value.type))


_BY_ONE_THREAD = (ttng.BarrierExpectOp, ttng.InitBarrierOp, ttng.InvalBarrierOp)
_TMA_LOADS = (ttng.AsyncTMACopyGlobalToLocalOp, ttng.AsyncTMAGatherOp)
_IN_ANY_ORDER = (*_TMA_LOADS, ttng.BarrierExpectOp, ttng.WaitBarrierOp)


def nvidia_needs_no_barrier(earlier: Operation, later: Operation, offsets: FunctionOffsets) -> bool:
    """Check for operations on mbarriers that synchronize themselves on an NVIDIA GPU."""
    if isinstance(earlier, _BY_ONE_THREAD) and isinstance(later, _BY_ONE_THREAD):
        return True
    if isinstance(earlier, ttng.WaitBarrierOp) and isinstance(later, ttng.WaitBarrierOp):
        return False  # a warp must not get ahead by a phase
    if isinstance(earlier, _IN_ANY_ORDER) and isinstance(later, _IN_ANY_ORDER):
        return True
    # A wait returns when the copy is complete, whatever the other threads have reached.
    is_complete = isinstance(earlier, (*_TMA_LOADS, ttng.WaitBarrierOp))
    return is_complete and not isinstance(later, ttng.InvalBarrierOp)


_AMD_COPIES = (
    amdg.AsyncTDMCopyLocalToGlobalOp,
    amdg.BufferLoadToLocalOp,
    ttg.AsyncCopyGlobalToLocalOp,
)
_AMD_MBARRIERS = (
    amdg.ArriveBarrierOp,
    amdg.AsyncCopyMbarrierArriveOp,
    amdg.InitBarrierOp,
    amdg.WaitBarrierOp,
)


def amd_needs_no_barrier(earlier: Operation, later: Operation, offsets: FunctionOffsets) -> bool:
    """Check for accesses that a wait or an mbarrier in LDS orders on an AMD GPU."""
    if isinstance(earlier, _AMD_MBARRIERS) and isinstance(later, _AMD_MBARRIERS):
        return True
    if isinstance(earlier, _AMD_COPIES) == isinstance(later, _AMD_COPIES):
        return False
    views = [_accessed(op) for op in (earlier, later)]
    if views[0] is None or views[1] is None:
        return False
    buffers = [offsets.aliases.get(view, frozenset()) for view in views if view is not None]
    if not buffers[0] & buffers[1]:
        return False
    return any(number(op.attributes.get(SYNCED_VIA_ASYNC_WAIT)) for op in (earlier, later))


def _accessed(op: Operation) -> SSAValue | None:
    """Find the buffer that a copy to LDS writes or a load reads, None for other operations."""
    if isinstance(op, amdg.BufferLoadToLocalOp):
        return op.dest
    if isinstance(op, ttg.AsyncCopyGlobalToLocalOp):
        return op.result
    return op.src if isinstance(op, ttg.LocalLoadOp) else None
