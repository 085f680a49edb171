"""Arrays of mbarriers for a loop.

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
from weft.ir.builtin import OpResult
from weft.ir.rewriting import Builder
from weft.passes.pipelining.buffers import select_buffer
from weft.passes.rewrite.mbarrier import mbarrier_type

__all__ = ["allocate_barriers"]


def allocate_barriers(loop: scf.ForOp, count: int, arrivals: int = 1) -> OpResult:
    """Allocate mbarriers before a loop, and invalidate and deallocate them after it.

    Args:
        loop: The loop.
        count: The number of mbarriers.
        arrivals: The number of arrivals that complete a phase of each.

    Returns:
        The memory descriptor of all mbarriers.
    """
    barrier = mbarrier_type(loop)
    assert barrier.encoding is not None
    memory = ttg.MemDescType.of(
        (count, *barrier.shape),
        barrier.element_type,
        barrier.encoding,
        barrier.memory_space,
        mutable=True,
    )
    builder = Builder().before(loop)
    allocation = builder.value(ttg.LocalAllocOp, (), memory)
    properties = {"count": attributes.integer(arrivals, types.i32)}
    for index in range(count):
        view = select_buffer(builder, allocation, builder.constant(index, types.i32))
        builder.create(ttng.InitBarrierOp, [view], (), properties)
    builder.after(loop)
    for index in range(count):
        view = select_buffer(builder, allocation, builder.constant(index, types.i32))
        builder.create(ttng.InvalBarrierOp, [view])
    builder.create(ttg.LocalDeallocOp, [allocation])
    return allocation
