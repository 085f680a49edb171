"""Where threads must wait for one another, because they share memory.

    ttg.local_store %x, %b          writes %b's bytes
    ── barrier ──                   read after write (RAW)
    %y = ttg.local_load %b          reads %b's bytes
    ── barrier ──                   write after read (WAR)
    ttg.local_store %z, %b

What was read and written since the last barrier is carried through the program: along a block,
joined where ways meet, and around loops until nothing changes. An operation whose own bytes meet
those is preceded by a barrier, which forgets all. Two writes to the same bytes count as well.

    RAW   out = in ∪ writes      hazard if reads(op) ∩ in.writes
    WAR   out = in ∪ reads       hazard if writes(op) ∩ in.reads

Bytes are what the allocation gave, so buffers that share them by reuse are seen to. An operation
with scratch writes it, waits, and reads it: its own barrier forgets all that came before. Of the
two operands of a dot by multiply-add, the first to be read waits for both, where that costs no
barrier more.

What the first warp does alone, its threads do in order: two such operations need no barrier. What
an engine reads is in use until a wait for the engine; each thread waits for what it started, so
that the others may write there behind the next barrier. What an engine writes is waited for through
a barrier of arrivals, by every thread for itself.

    ttg.local_store %x, %b
    ── barrier, fence ──            the copy engine sees what all threads wrote
    ttng.async_tma_copy_local_to_global %d, %b         %b is in use
    ttng.async_tma_store_wait       %b was read, as far as the thread knows that started the copy
    ── barrier ──
    ttg.local_store %y, %b

A fence stands where threads wrote bytes that the copy engine is to write, such as scratch memory
that lies where a tile will; where it reads what they wrote, the IR has a fence of its own. But none
for what threads copy asynchronously and tensor cores read in memory: once the copies have landed,
one stands behind the barrier that tells the others, as in Triton's kernels. Copies that tell a
barrier of arrivals have nobody behind them who could do so: who waits for that barrier does, in
front of the product, or of telling yet others.

    ttg.async_wait                   ttng.wait_barrier %m      its copies have landed
    ── barrier, fence ──             ── fence ──
    ttng.warp_group_dot %a, %b       ttng.tc_gen5_mma %a, %b
Source: seed 004, the equations for barriers; PTX ISA 9.0, async proxy, and its proxy-preserved
causality order: a fence may stand anywhere on the way from the write to the read; Triton 3.7.1,
which has these fences within a group of warps, and leaves those between groups to kernels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from weft.analysis.allocation import Allocation, Placed
from weft.analysis.dataflow import DenseForwardAnalysis
from weft.analysis.multiplied_copies import (
    READ_BY_TENSOR_CORES,
    MultipliedCopies,
    multiplied_copies,
)
from weft.analysis.shared_effects import Agent, shared_effect
from weft.analysis.tensor_effects import TensorTouch, tensor_touches
from weft.analysis.tensor_memory import TensorMemory
from weft.ir import tt, ttg, types
from weft.ir.attributes import number
from weft.ir.builtin import Operation
from weft.ir.interfaces import RegionBranchOpInterface
from weft.ir.rewriting import walk
from weft.layouts import BlockedEncoding

__all__ = ["Barriers", "barriers"]

_WAITS = ("ttg.barrier", "gpu.barrier")
_ARRIVALS = (
    "amdg.async_tdm_intrinsic_wait",
    "amdg.async_tdm_wait",
    "amdg.async_wait",
    "ttg.async_wait",
)
_ENGINES = (Agent.COPIES, Agent.DOTS, Agent.MOVER)
_ENGINE_WAITS = {
    "ttng.async_tma_store_wait": Agent.COPIES,
    "ttng.warp_group_dot_wait": Agent.DOTS,
}
_FENCE = "ttng.fence_async_shared"
_DESCRIPTOR_MADE = "ttng.tensormap_fenceproxy_acquire"
_SCRATCH_OF_FIRST_WARP = ("ttng.tensormap_create",)
_RELEASE = "ttng.arrive_barrier"
_CALL, _LOAD, _DOT = "tt.call", "ttg.local_load", "tt.dot"
Bytes = frozenset[Placed]


@dataclass(frozen=True, slots=True)
class Barriers:
    """Where every thread of the block must arrive first, and where it tells the engines first.

    before: operations.  fences: those in front of which, behind their barrier, a fence stands.
    """

    before: frozenset[Operation]
    fences: frozenset[Operation] = frozenset()


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was touched since the last barrier, as bytes.

    reads, writes: by threads.  first: written by the first warp.  in_use: read by an engine that
    has not been waited for.  unfenced: written by threads since the last fence.
    arrives: whether copies have landed that other threads have not been told of.
    landed: whether copies have that the tensor cores are to read, and have not been told of.
    made: whether there is a descriptor that they have not been told of.
    tensors: what threads touched in tensor memory.
    """

    reads: Bytes = frozenset()
    writes: Bytes = frozenset()
    first: Bytes = frozenset()
    in_use: frozenset[tuple[Agent, Placed]] = frozenset()
    unfenced: Bytes = frozenset()
    arrives: bool = False
    landed: bool = False
    made: bool = False
    tensors: frozenset[TensorTouch] = frozenset()

    def join(self, other: _Seen) -> _Seen:
        return _Seen(
            self.reads | other.reads,
            self.writes | other.writes,
            self.first | other.first,
            self.in_use | other.in_use,
            self.unfenced | other.unfenced,
            self.arrives or other.arrives,
            self.landed or other.landed,
            self.made or other.made,
            self.tensors | other.tensors,
        )

    def behind_barrier(self) -> _Seen:
        """Return what is left to be told behind a barrier."""
        return _Seen(in_use=self.in_use, unfenced=self.unfenced, landed=self.landed)

    def behind_fence(self) -> _Seen:
        """Return what is left to be told behind a fence."""
        return replace(self, unfenced=frozenset(), landed=False)

    def engine_done(self, engine: Agent, pending: int) -> _Seen:
        """Return what is known behind a wait for an engine; `pending` operations may go on."""
        done = frozenset(placed for by, placed in self.in_use if by is engine)
        left = self.in_use if pending else self.in_use - {(engine, placed) for placed in done}
        return replace(self, reads=self.reads | done, in_use=left)


_NOTHING = _Seen()


def barriers(
    function: tt.FuncOp, allocation: Allocation, memory: TensorMemory | None = None
) -> Barriers:
    """Return where barriers must stand in a function.

    Args: memory: where its buffers of tensor memory lie.
    """
    memory = memory or TensorMemory({}, 0, {})
    copies = multiplied_copies(function, allocation)
    walked = _Walk(allocation, memory, copies)
    found = walked.run(function)
    if walked.is_early:
        # What is read behind the barrier may need another one before it is written again.
        late = _Walk(allocation, memory, copies, waits_for_both=False).run(function)
        return late if len(late.before) < len(found.before) else found
    return found


def _meet(some: Iterable[Placed], others: Iterable[Placed]) -> bool:
    return any(a.meets(b) for a in some for b in others)


class _Walk(DenseForwardAnalysis[_Seen]):
    """A walk through a function.

    waits_for_both: whether the first operand of a dot by multiply-add waits for both.  is_early:
    whether one did.
    """

    def __init__(
        self,
        allocation: Allocation,
        memory: TensorMemory,
        copies: MultipliedCopies,
        waits_for_both: bool = True,
    ) -> None:
        self.allocation = allocation
        self.memory = memory
        self.copies = copies
        self.waits_for_both = waits_for_both
        self.is_early = False
        self.before: set[Operation] = set()
        self.fences: set[Operation] = set()

    def run(self, function: tt.FuncOp) -> Barriers:
        """Carry what was touched through the blocks until nothing changes."""
        self.visit_region(function.body, _NOTHING)
        return Barriers(frozenset(self.before), frozenset(self.fences))

    def join(self, first: _Seen, second: _Seen) -> _Seen:
        return first.join(second)

    def visit_region_branch(self, op: RegionBranchOpInterface, before: _Seen) -> _Seen:
        if isinstance(op, ttg.WarpSpecializeOp):
            return self._side_by_side(op, self._told(op, before).behind_barrier())
        if isinstance(op, tt.ReduceOp | tt.ScanOp | tt.MapElementwiseOp):
            return self.visit_operation(op, before)
        return super().visit_region_branch(op, before)

    def visit_operation(self, op: Operation, seen: _Seen) -> _Seen:
        if op.name in _WAITS:
            needed = seen.landed and self.copies.are_read_behind(op)
            return self._fence(op, seen, needed=needed).behind_barrier()
        if op.name == _FENCE:
            return seen.behind_fence()
        if (engine := _ENGINE_WAITS.get(op.name)) is not None:
            return seen.engine_done(engine, int(number(op.properties.get("pendings")) or 0))
        return self._touch(op, seen)

    def _fence(self, op: Operation, seen: _Seen, *, needed: bool) -> _Seen:
        """Return what was touched behind the fence in front of an operation, if it needs one."""
        if not needed:
            self.fences.discard(op)  # an earlier round of a loop knew less of where others stand
            return seen
        self.fences.add(op)
        return seen.behind_fence()

    def _told(self, op: ttg.WarpSpecializeOp, seen: _Seen) -> _Seen:
        """Return what was touched, with a fence where engines are to write or read it elsewhere.

        Those that wrote bytes, or copied them, must tell the engine themselves.
        """
        effects = (shared_effect(one) for one in walk(op) if one is not op)
        copied = [self.allocation.of(each.writes) for each in effects if each.by is Agent.COPIES]
        needed = seen.landed or _meet(frozenset().union(*copied), seen.unfenced)
        return self._fence(op, seen, needed=needed)

    def _side_by_side(self, op: ttg.WarpSpecializeOp, seen: _Seen) -> _Seen:
        """Go through regions between two barriers of all; what one does is no other's business.

        They share buffers, but tell one another by barriers of arrivals.
        """
        after = seen
        for region in (op.defaultRegion, *op.partitions):
            after = after.join(self.visit_region(region, seen).behind_barrier())
        return after

    def _touch(self, op: Operation, seen: _Seen) -> _Seen:
        touched = shared_effect(op)
        reads, writes = (
            self.allocation.of(touched.reads),
            self.allocation.of(touched.writes),
        )
        signals, by = self.allocation.of(touched.signals), touched.by
        tensors = tensor_touches(op, self.memory)
        scratch = self.allocation.scratch.get(op)
        if scratch is not None:
            writes |= {scratch}
            by = Agent.FIRST_WARP if op.name in _SCRATCH_OF_FIRST_WARP else by
        others = seen.writes | (frozenset() if by is Agent.FIRST_WARP else seen.first)
        fence = by is Agent.COPIES and _meet(writes, seen.unfenced)
        waits = bool(
            fence
            or ((reads or writes) and seen.arrives)
            or (by is Agent.COPIES and seen.made)
            or (op.name == _RELEASE and (seen.reads or seen.writes or seen.first or seen.tensors))
            or _meet(reads | writes | signals, others)
            or _meet(writes, seen.reads)
            or (by is Agent.FIRST_WARP and _meet(signals, seen.reads))
            or any(one.collides(other) for one in tensors for other in seen.tensors)
            or self._other_operand_waits(op, others)
        )
        tells = isinstance(op, READ_BY_TENSOR_CORES) or op.name == _RELEASE
        tells = tells or (waits and seen.landed and self.copies.are_read_behind(op))
        seen = self._fence(op, seen, needed=fence or (tells and seen.landed))
        if waits:
            self.before.add(op)
            seen = seen.behind_barrier()
        else:
            self.before.discard(op)
        if scratch is not None and op.name == _CALL:
            # What its threads did last, nobody has waited for.
            return _after(seen, by, frozenset((scratch,)), frozenset((scratch,)))
        if scratch is not None and by is not Agent.FIRST_WARP:
            # Its own barrier stands between writing and reading.
            behind = seen.behind_barrier()
            return replace(
                behind, reads=frozenset((scratch,)), unfenced=behind.unfenced | {scratch}
            )
        seen = replace(
            seen,
            arrives=seen.arrives or op.name in _ARRIVALS,
            landed=seen.landed or self.copies.land(op),
            made=seen.made or op.name == _DESCRIPTOR_MADE,
            tensors=seen.tensors | {one for one in tensors if one.by_threads},
        )
        return _after(seen, by, reads, writes)

    def _other_operand_waits(self, op: Operation, written: Bytes) -> bool:
        """Return whether a load for the same dot, a little behind, waits for what was written.

        A thread has hundreds of numbers of an operand of a dot by multiply-add. With a barrier
        between the two it would keep all of the first; with none it reads what the next step takes.
        """
        if op.name != _LOAD or not self.waits_for_both:
            return False
        users = {use.operation for use in op.results[0].uses}
        dots = {user for user in users if user.name == _DOT and _by_multiply_add(user)}
        following = op.next_op
        while dots and following is not None and self._only_reads(following):
            users = {use.operation for result in following.results for use in result.uses}
            if following.name == _LOAD and users & dots:
                waits = _meet(self.allocation.of(shared_effect(following).reads), written)
                self.is_early = self.is_early or waits
                return waits
            following = following.next_op
        return False

    def _only_reads(self, op: Operation) -> bool:
        touched = shared_effect(op)
        touches = touched.writes or touched.signals or op in self.allocation.scratch
        return not (touches or op.regions or op.name in _WAITS)


def _by_multiply_add(dot: Operation) -> bool:
    return isinstance(types.encoding(dot.results[0].type), BlockedEncoding)


def _after(seen: _Seen, by: Agent, reads: Bytes, writes: Bytes) -> _Seen:
    """Return what is seen once somebody has touched bytes, or an engine has begun to."""
    if by in _ENGINES:
        return replace(seen, in_use=seen.in_use | {(by, placed) for placed in reads})
    if by is Agent.FIRST_WARP:
        return replace(seen, first=seen.first | writes, unfenced=seen.unfenced | writes)
    return replace(
        seen,
        reads=seen.reads | reads,
        writes=seen.writes | writes,
        unfenced=seen.unfenced | writes,
    )
