"""Hazards in shared memory: where a kernel needs barriers and proxy fences.

Threads of a block run at their own pace, so two accesses to the same bytes by different threads
need a barrier in between if one of them writes:

    ttg.local_store %x, %b          writes the bytes of %b
    ── barrier ──                   RAW: read after write
    %y = ttg.local_load %b          reads them
    ── barrier ──                   WAR: write after read
    ttg.local_store %z, %b

This is a dense forward dataflow analysis, as Triton's Membar (Analysis/Membar.cpp). The lattice
element is the set of bytes read and written since the last barrier, the join is the union:

    RAW, WAW    a barrier is needed if (reads(op) ∪ writes(op)) ∩ writes so far ≠ ∅
    WAR         a barrier is needed if writes(op) ∩ reads so far ≠ ∅
    after op    ∅ if a barrier precedes it, then ∪ reads(op), ∪ writes(op)

    op                          reads       writes      barrier
    local_store %x, %b                      {b}         no
    local_load %b               {b}                     yes: b was written
    scf.for … {                 {b}
      local_store %z, %c        {b}         {c}         first pass no; then {c} is read: yes
      local_load %c             {c}                     yes
    }                                                   the back edge joins {c} into the reads

Bytes are compared, not buffers, because buffers that are not live together share bytes. An
operation with scratch memory writes it, executes a barrier, and reads it. Accesses by the
first warp alone are in program order, so two of them need no barrier.

Asynchronous units. The TMA, wgmma and AMD's TDM read their operands after the operation was
issued. The thread that issued it waits for the unit; from there on the bytes count as read by
threads. What a unit writes is waited for through an mbarrier, by every thread for itself.

    ttg.local_store %x, %b
    ── barrier, fence ──                               the TMA sees the writes of all threads
    ttng.async_tma_copy_local_to_global %d, %b         the TMA reads %b from here on
    ttng.async_tma_store_wait                          it is done, the issuing thread knows
    ── barrier ──                                      WAR
    ttg.local_store %y, %b

Proxy fences. Threads write through the generic proxy, asynchronous units access memory through
the async proxy. Where a unit reads what threads stored, the IR has a fence (pass fence-insertion);
the two other cases are found here:

    - the TMA writes bytes that threads wrote, such as scratch memory that a tile reuses;
    - tensor cores read what `cp.async` copied. A thread that has waited for the copies issues the
      fence: before the barrier that makes them visible to the others, or, if they arrived on an
      mbarrier, before the MMA or the arrival on another mbarrier. A fence of the IR that comes
      before the MMA is enough.

    ttg.async_wait                   ttng.wait_barrier %m      the copies are complete
    ── barrier, fence ──             ── fence ──
    ttng.warp_group_dot %a, %b       ttng.tc_gen5_mma %a, %b

Source: PTX ISA 9.0, async proxy and its proxy-preserved causality order, by which a fence may
be anywhere between the write and the read; Triton 3.7.1, which has these fences among the warps
of one partition and leaves those between partitions to kernels.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from weft.analysis.allocation import Allocation, ByteRange
from weft.analysis.dataflow import DenseForwardAnalysis
from weft.analysis.hazards.accesses import NO_BYTES, Accesses, Bytes
from weft.analysis.hazards.async_proxy import (
    ASYNC_PROXY_READERS,
    AsyncProxyCopies,
    async_proxy_copies,
)
from weft.analysis.shared_memory_effects import Agent, shared_memory_effects
from weft.analysis.tensor_memory import TensorMemory
from weft.analysis.tensor_memory_effects import TensorMemoryAccess, tensor_memory_accesses
from weft.ir import amdg, gpu, tt, ttg, ttng, types
from weft.ir.attributes import number
from weft.ir.builtin import Operation
from weft.ir.interfaces import RegionBranchOpInterface
from weft.ir.rewriting import walk
from weft.layouts import BlockedEncoding

__all__ = ["Barriers", "barriers"]

_WAITS_FOR_COPIES = (
    amdg.AsyncTDMIntrinsicWaitOp,
    amdg.AsyncTDMWaitOp,
    amdg.AsyncWaitOp,
    ttg.AsyncWaitOp,
)
_OF_POINTERS = (tt.AddPtrOp, tt.BroadcastOp, tt.ExpandDimsOp, tt.MakeRangeOp, tt.SplatOp)


class Barriers(Struct, frozen=True):
    """The barriers and fences that a function needs besides those in its IR.

    Attributes:
        before: The operations that a barrier of the block is inserted before.
        fences: The operations that a proxy fence is inserted before, after their barrier.
    """

    before: frozenset[Operation]
    fences: frozenset[Operation] = frozenset()


class _Effects(Struct, frozen=True):
    """The effects of one operation, in bytes.

    Attributes:
        reads: The bytes that it reads.
        writes: The bytes that it writes, scratch memory included.
        signals: The bytes of the mbarriers that it arrives on.
        scratch: Its scratch memory, None if it needs none.
        agent: Who accesses the bytes.
        tensor_memory: Its accesses to tensor memory.
    """

    reads: Bytes
    writes: Bytes
    signals: Bytes
    scratch: ByteRange | None
    agent: Agent
    tensor_memory: frozenset[TensorMemoryAccess]


def barriers(
    function: tt.FuncOp, allocation: Allocation, memory: TensorMemory | None = None
) -> Barriers:
    """Find the barriers and proxy fences that a function needs.

    Args:
        function: A function with a body.
        allocation: Its shared memory.
        memory: Its tensor memory, if it has any.
    """
    memory = memory or TensorMemory({}, 0, {})
    copies = async_proxy_copies(function, allocation)
    early = _HazardAnalysis(allocation, memory, copies, merges_operand_barriers=True)
    result = early.run(function)
    if early.has_merged:
        # An early barrier may need another one after it, which a late one would have covered.
        late = _HazardAnalysis(allocation, memory, copies, merges_operand_barriers=False)
        late_result = late.run(function)
        return late_result if len(late_result.before) < len(result.before) else result
    return result


def _overlap(some: Iterable[ByteRange], others: Iterable[ByteRange]) -> bool:
    return any(a.overlaps(b) for a in some for b in others)


class _HazardAnalysis(DenseForwardAnalysis[Accesses]):
    """The hazards of one function.

    Attributes:
        has_merged: Whether a barrier was inserted early, for both operands of a dot.
    """

    def __init__(
        self,
        allocation: Allocation,
        memory: TensorMemory,
        copies: AsyncProxyCopies,
        *,
        merges_operand_barriers: bool,
    ) -> None:
        self.has_merged = False
        self._allocation = allocation
        self._memory = memory
        self._copies = copies
        self._merges_operand_barriers = merges_operand_barriers
        # Decisions of the last visit to each operation, which sees the fixpoint.
        self._barriers: set[Operation] = set()
        self._fences: set[Operation] = set()

    def run(self, function: tt.FuncOp) -> Barriers:
        """Find the barriers and fences of a function."""
        self.visit_region(function.body, Accesses())
        return Barriers(frozenset(self._barriers), frozenset(self._fences))

    @override
    def join(self, first: Accesses, second: Accesses) -> Accesses:
        return first.join(second)

    # ------------------------------------------------------------------------------- control flow

    @override
    def visit_region_branch(self, op: RegionBranchOpInterface, before: Accesses) -> Accesses:
        if isinstance(op, ttg.WarpSpecializeOp):
            return self._visit_partitions(op, before)
        if isinstance(op, tt.ElementRegionOp):
            # The region computes on registers; the operation itself may exchange them.
            return self.visit_operation(op, before)
        return super().visit_region_branch(op, before)

    def _visit_partitions(self, op: ttg.WarpSpecializeOp, before: Accesses) -> Accesses:
        """Analyse partitions one by one: barriers of the whole block are around all of them.

        Partitions share buffers, but synchronize with each other through mbarriers. The kernel's
        warps store what they capture before that.
        """
        captures = self._allocation.scratch.get(op)
        writes = NO_BYTES if captures is None else frozenset((captures,))
        stores = _Effects(NO_BYTES, writes, NO_BYTES, captures, Agent.THREADS, frozenset())
        self._barriers.discard(op)
        if self._needs_barrier(op, stores, before):
            self._barriers.add(op)
            before = before.after_barrier()
        effects = [shared_memory_effects(inner) for inner in walk(op) if inner is not op]
        tma_writes = NO_BYTES.union(
            *(self._allocation.bytes_of(each.writes) for each in effects if each.agent is Agent.TMA)
        )
        # A partition that runs a unit has not written or copied the bytes itself: fence before.
        is_fenced = before.unfenced_copies or _overlap(tma_writes, before.unfenced_writes)
        entry = self._after_fence_if(is_fenced, op, before).after_barrier()
        entry = replace(entry, unfenced_writes=entry.unfenced_writes | writes)
        after = entry
        for region in (op.defaultRegion, *op.partitions):
            after = after.join(self.visit_region(region, entry).after_barrier())
        return after

    # ---------------------------------------------------------------------------------- operations

    @override
    def visit_operation(self, op: Operation, before: Accesses) -> Accesses:
        if _is_arithmetic(type(op)) and op not in self._allocation.scratch:
            return before
        if _is_barrier(op):
            is_fenced = before.unfenced_copies and self._copies.may_be_read_after(op)
            return self._after_fence_if(is_fenced, op, before).after_barrier()
        if isinstance(op, ttng.FenceAsyncSharedOp):
            return before.after_fence()
        if isinstance(op, ttng.TMAStoreWaitOp):
            return before.after_wait(Agent.TMA, _pending(op))
        if isinstance(op, ttng.WarpGroupDotWaitOp):
            return before.after_wait(Agent.WGMMA, _pending(op))
        return self._visit_access(op, before)

    def _visit_access(self, op: Operation, before: Accesses) -> Accesses:
        effects = self._effects(op)
        # The TMA overwrites what threads wrote. Without a fence the proxies are not ordered, and
        # the older write could become visible after the newer one.
        writes_unfenced = effects.agent is Agent.TMA and _overlap(
            effects.writes, before.unfenced_writes
        )
        needs_barrier = writes_unfenced or self._needs_barrier(op, effects, before)
        # Each thread fences the copies that it has waited for: at the barrier before the MMA if
        # there is one, else at the MMA or at the arrival that starts it in another partition.
        uses_copies = isinstance(op, (*ASYNC_PROXY_READERS, ttng.ArriveBarrierOp)) or (
            needs_barrier and self._copies.may_be_read_after(op)
        )
        is_fenced = writes_unfenced or (before.unfenced_copies and uses_copies)
        state = self._after_fence_if(is_fenced, op, before)
        if needs_barrier:
            self._barriers.add(op)
            state = state.after_barrier()
        else:
            # An earlier visit, before the fixpoint, may have decided otherwise.
            self._barriers.discard(op)
        return self._after_effects(op, effects, state)

    def _after_fence_if(self, is_fenced: bool, op: Operation, before: Accesses) -> Accesses:
        """Record whether a fence is inserted before an operation, and compute what it leaves."""
        if is_fenced:
            self._fences.add(op)
            return before.after_fence()
        self._fences.discard(op)
        return before

    def _effects(self, op: Operation) -> _Effects:
        effects = shared_memory_effects(op)
        reads, writes, signals = (
            self._allocation.bytes_of(values)
            for values in (effects.reads, effects.writes, effects.signals)
        )
        agent = effects.agent
        scratch = self._allocation.scratch.get(op)
        if scratch is not None:
            writes |= {scratch}
            if isinstance(op, ttng.TensormapCreateOp):
                agent = Agent.FIRST_WARP
        tensor_memory = frozenset(tensor_memory_accesses(op, self._memory))
        return _Effects(reads, writes, signals, scratch, agent, tensor_memory)

    def _needs_barrier(self, op: Operation, effects: _Effects, before: Accesses) -> bool:
        """Check for a hazard between an operation and the accesses since the last barrier."""
        reads, writes, signals = effects.reads, effects.writes, effects.signals
        by_first_warp = effects.agent is Agent.FIRST_WARP
        # The first warp sees its own writes in program order.
        visible = NO_BYTES if by_first_warp else before.first_warp_writes
        others_writes = before.writes | visible
        if (reads or writes) and before.completed_copies:
            return True  # the copies of the other threads
        if effects.agent is Agent.TMA and before.created_descriptor:
            return True  # one warp created the descriptor, another thread may issue the copy
        if isinstance(op, ttng.ArriveBarrierOp) and (
            before.reads or before.writes or before.first_warp_writes or before.tensor_memory
        ):
            return True  # one thread arrives for all: they have to be done with their accesses
        if _overlap(reads | writes | signals, others_writes):
            return True  # RAW, WAW
        if _overlap(writes, before.reads) or (by_first_warp and _overlap(signals, before.reads)):
            return True  # WAR
        if any(
            access.is_hazard_after(earlier)
            for access in effects.tensor_memory
            for earlier in before.tensor_memory
        ):
            return True
        return self._other_operand_needs_barrier(op, others_writes)

    def _other_operand_needs_barrier(self, op: Operation, writes: Bytes) -> bool:
        """Check whether the load of the other operand of a dot, soon after, needs a barrier.

        A dot by FMA has hundreds of elements per operand and thread. With a barrier between the
        two loads a thread would hold all elements of the first operand; without one, it loads
        the elements of both operands as it multiplies them.
        """
        if not isinstance(op, ttg.LocalLoadOp) or not self._merges_operand_barriers:
            return False
        dots = {use.operation for use in op.results[0].uses if _is_dot_by_fma(use.operation)}
        following = op.next_op
        while dots and following is not None and self._only_reads(following):
            users = {use.operation for result in following.results for use in result.uses}
            if isinstance(following, ttg.LocalLoadOp) and users & dots:
                reads = self._allocation.bytes_of(shared_memory_effects(following).reads)
                needs_barrier = _overlap(reads, writes)
                self.has_merged = self.has_merged or needs_barrier
                return needs_barrier
            following = following.next_op
        return False

    def _only_reads(self, op: Operation) -> bool:
        effects = shared_memory_effects(op)
        return not (
            effects.writes
            or effects.signals
            or op in self._allocation.scratch
            or op.regions
            or _is_barrier(op)
        )

    def _after_effects(self, op: Operation, effects: _Effects, before: Accesses) -> Accesses:
        """Compute the element after an operation from that before it, after its barrier."""
        if effects.scratch is not None:
            scratch = frozenset((effects.scratch,))
            if isinstance(op, tt.CallOp):
                # The frame of the callee, which ends without a barrier.
                return before.after_access(effects.agent, scratch, scratch)
            if effects.agent is not Agent.FIRST_WARP:
                # The barrier between its write and its read orders all that came before.
                after = before.after_barrier()
                return replace(
                    after, reads=scratch, unfenced_writes=after.unfenced_writes | scratch
                )
        # Asynchronous tcgen05 operations complete on mbarriers; threads need a barrier.
        by_threads = {access for access in effects.tensor_memory if access.by_threads}
        after = replace(
            before,
            completed_copies=before.completed_copies or isinstance(op, _WAITS_FOR_COPIES),
            unfenced_copies=before.unfenced_copies or self._copies.are_complete_after(op),
            created_descriptor=before.created_descriptor
            or isinstance(op, ttng.TensormapFenceproxyAcquireOp),
            tensor_memory=before.tensor_memory | by_threads,
        )
        return after.after_access(effects.agent, effects.reads, effects.writes)


@cache
def _is_arithmetic(cls: type[Operation]) -> bool:
    """Check for arithmetic, which is most of a kernel and has no effect on memory."""
    return cls in _OF_POINTERS or cls.name.startswith(("arith.", "math."))


def _is_barrier(op: Operation) -> bool:
    return isinstance(op, ttg.BarrierOp | gpu.BarrierOp)


def _pending(wait: Operation) -> int:
    """Read how many operations may be in flight after a wait."""
    return int(number(wait.properties.get("pendings")) or 0)


def _is_dot_by_fma(op: Operation) -> bool:
    return isinstance(op, tt.DotOp) and isinstance(
        types.encoding(op.results[0].type), BlockedEncoding
    )
