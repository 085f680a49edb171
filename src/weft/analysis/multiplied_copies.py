"""Whether tensor cores read in shared memory what threads copy there asynchronously, and who waits.

    ttg.async_copy_global_to_local %p, %a
    ttng.async_copy_mbarrier_arrive %m      tells %m once the copies have landed
    ttng.wait_barrier %m, %phase            copies have landed, and
    ttng.tc_gen5_mma %a, …                  are read by tensor cores: they must be told between

Source: PTX ISA 9.0, async proxy; cp.async.mbarrier.arrive.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.analysis.allocation import Allocation, Placed
from weft.analysis.shared_effects import shared_effect
from weft.ir import scf, tt, ttg, ttng
from weft.ir.builtin import Operation
from weft.ir.rewriting import walk

__all__ = ["READ_BY_TENSOR_CORES", "MultipliedCopies", "multiplied_copies"]

READ_BY_TENSOR_CORES = (
    ttng.WarpGroupDotOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
    ttng.TMEMCopyOp,
)


@dataclass(frozen=True, slots=True)
class MultipliedCopies:
    """Copies of a function that its tensor cores read.

    exist: whether there are any.  told: barriers of arrivals that copies tell.
    """

    allocation: Allocation
    exist: bool
    told: frozenset[Placed]

    def land(self, op: Operation) -> bool:
        """Tell whether such copies may have landed behind an operation, which waits for them."""
        if isinstance(op, ttg.AsyncWaitOp):
            return self.exist
        if not isinstance(op, ttng.WaitBarrierOp):
            return False
        asked = self.allocation.of([op.alloc])
        return self.exist and any(a.meets(b) for a in asked for b in self.told)

    def are_read_behind(self, op: Operation) -> bool:
        """Tell whether tensor cores of these warps may read such copies behind an operation."""
        around: Operation | None = op
        while around is not None and not isinstance(around, tt.FuncOp):
            region = around.parent_region()
            if region is None or len(region.blocks) > 1:
                return True  # ways that branches take are not followed
            following = around.next_op
            while following is not None:
                if _reads(following):
                    return True
                following = following.next_op
            around = around.parent_op()
            if isinstance(around, scf.ForOp | scf.WhileOp) and _reads(around):
                return True
        return False


def _reads(op: Operation) -> bool:
    return any(isinstance(each, READ_BY_TENSOR_CORES) for each in walk(op))


def multiplied_copies(function: tt.FuncOp, allocation: Allocation) -> MultipliedCopies:
    """Return what the tensor cores of a function read that its threads copy."""
    copied: set[Placed] = set()
    read: set[Placed] = set()
    told: set[Placed] = set()
    for op in walk(function):
        if isinstance(op, ttg.AsyncCopyGlobalToLocalOp):
            copied |= allocation.of(shared_effect(op).writes)
        elif isinstance(op, ttng.AsyncCopyMbarrierArriveOp):
            told |= allocation.of([op.barrier])
        elif isinstance(op, READ_BY_TENSOR_CORES):
            read |= allocation.of(shared_effect(op).reads)
    exist = any(a.meets(b) for a in copied for b in read)
    return MultipliedCopies(allocation, exist, frozenset(told))
