"""Arrays of mbarriers, one for each buffer.

%bars = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, …, mutable>
%b0 = ttg.memdesc_index %bars[%c0]
ttng.init_barrier %b0, 1
…
scf.for …
ttng.inval_barrier %b0
…
ttg.local_dealloc %bars
"""

from __future__ import annotations

from weft.ir import attributes, scf, ttg, ttng, types
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.ir.rewriting import Builder
from weft.passes.pipelining.buffers.multi_buffers import buffer_array_type, select_buffer
from weft.passes.rewrite.mbarrier import mbarrier_type

__all__ = [
    "allocate_barriers",
    "create_barriers",
    "deallocate_barriers",
    "init_barrier",
]


def allocate_barriers(loop: scf.ForOp, count: int, arrivals: int = 1) -> OpResult:
    """Create mbarriers before a loop, and deallocate them after it.

    Args:
        loop: The loop.
        count: The number of mbarriers.
        arrivals: The number of arrivals that complete a phase of each.

    Returns:
        The memory descriptor of all mbarriers.
    """
    builder = Builder().before(loop)
    barriers = create_barriers(builder, loop, count, arrivals)
    deallocate_barriers(builder.after(loop), barriers, count)
    return barriers


def create_barriers(builder: Builder, op: Operation, count: int, arrivals: int = 1) -> OpResult:
    """Allocate and initialize mbarriers.

    Args:
        builder: Where.
        op: Any operation of the module, which says how many CTAs a cluster has.
        count: The number of mbarriers.
        arrivals: The number of arrivals that complete a phase of each.

    Returns:
        The memory descriptor of all mbarriers.
    """
    memory = buffer_array_type(mbarrier_type(op), count)
    barriers = builder.value(ttg.LocalAllocOp, (), memory)
    for index in range(count):
        init_barrier(builder, barriers, builder.constant(index, types.i32), arrivals)
    return barriers


def init_barrier(builder: Builder, barriers: SSAValue, index: SSAValue, arrivals: int) -> None:
    """Initialize one of several mbarriers."""
    view = select_buffer(builder, barriers, index)
    count = {"count": attributes.integer(arrivals, types.i32)}
    builder.create(ttng.InitBarrierOp, [view], (), count)


def deallocate_barriers(builder: Builder, barriers: SSAValue, count: int) -> None:
    """Invalidate and deallocate mbarriers."""
    for index in range(count):
        view = select_buffer(builder, barriers, builder.constant(index, types.i32))
        builder.create(ttng.InvalBarrierOp, [view])
    builder.create(ttg.LocalDeallocOp, [barriers])
