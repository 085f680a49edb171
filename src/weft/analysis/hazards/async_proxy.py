"""Copies by `cp.async` that the tensor cores read: which waits need a proxy fence after them.

Threads and `cp.async` write shared memory through the generic proxy, wgmma and tcgen05 read it
through the async proxy. Between the two a fence is needed, issued by a thread to which the write
is visible: one that has waited for the copies.

    ttg.async_copy_global_to_local %p, %a
    ttng.async_copy_mbarrier_arrive %m      arrives on %m once the copies are complete
    ttng.wait_barrier %m, %phase            the copies are complete
    ── fence ──                             fence.proxy.async
    ttng.tc_gen5_mma %a, …                  reads through the async proxy

Source: PTX ISA 9.0, async proxy; cp.async.mbarrier.arrive.
"""

from __future__ import annotations

from msgspec import Struct

from weft.analysis.allocation import Allocation, ByteRange
from weft.analysis.shared_memory_effects import shared_memory_effects
from weft.ir import tt, ttg, ttng
from weft.ir.builtin import Operation
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.rewriting import walk

__all__ = ["ASYNC_PROXY_READERS", "AsyncProxyCopies", "async_proxy_copies"]

ASYNC_PROXY_READERS = (
    ttng.WarpGroupDotOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMCopyOp,
)


class AsyncProxyCopies(Struct, frozen=True):
    """The copies of a function that its tensor cores read.

    Attributes:
        allocation: The shared memory of the function.
        exist: Whether there are any such copies.
        mbarriers: The bytes of the mbarriers that copies arrive on.
    """

    allocation: Allocation
    exist: bool
    mbarriers: frozenset[ByteRange]

    def are_complete_after(self, op: Operation) -> bool:
        """Check whether an operation waits for such copies."""
        if isinstance(op, ttg.AsyncWaitOp):
            return self.exist
        if not isinstance(op, ttng.WaitBarrierOp):
            return False
        waited_for = self.allocation.bytes_of([op.alloc])
        return self.exist and any(a.overlaps(b) for a in waited_for for b in self.mbarriers)

    def may_be_read_after(self, op: Operation) -> bool:
        """Check whether an MMA of the same warps may execute after an operation, without a fence.

        A fence of the IR between the two makes another one superfluous.
        """
        around: Operation | None = op
        # Search outward: what follows the operation, then what follows each enclosing operation.
        while around is not None and not isinstance(around, tt.FuncOp):
            region = around.parent_region()
            if region is None or len(region.blocks) > 1:
                return True  # branches between blocks are not followed
            following = around.next_op
            while following is not None:
                if isinstance(following, ttng.FenceAsyncSharedOp):
                    return False  # on every path from the operation
                if _contains_reader(following):
                    return True
                following = following.next_op
            around = around.parent_op()
            if isinstance(around, LoopLikeOpInterface) and _contains_reader(around):
                return True  # in the next iteration
        return False


def _contains_reader(op: Operation) -> bool:
    return any(isinstance(inner, ASYNC_PROXY_READERS) for inner in walk(op))


def async_proxy_copies(function: tt.FuncOp, allocation: Allocation) -> AsyncProxyCopies:
    """Find the copies by `cp.async` in a function whose bytes its tensor cores read."""
    copied: set[ByteRange] = set()
    read: set[ByteRange] = set()
    mbarriers: set[ByteRange] = set()
    for op in walk(function):
        if isinstance(op, ttg.AsyncCopyGlobalToLocalOp):
            copied |= allocation.bytes_of(shared_memory_effects(op).writes)
        elif isinstance(op, ttng.AsyncCopyMbarrierArriveOp):
            mbarriers |= allocation.bytes_of([op.barrier])
        elif isinstance(op, ASYNC_PROXY_READERS):
            read |= allocation.bytes_of(shared_memory_effects(op).reads)
    exist = any(a.overlaps(b) for a in copied for b in read)
    return AsyncProxyCopies(allocation, exist, frozenset(mbarriers))
