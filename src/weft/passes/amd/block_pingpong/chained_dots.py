"""Two compute clusters and two memory clusters, for two dots of which one feeds the other.

    s.barrier
    dot 0, …                     compute cluster 1
    ttg.barrier
    local stores, loads          memory cluster 1      priority 1
    wait for shared memory
    s.barrier
    dot 1, …                     compute cluster 2     priority 0
    ttg.barrier
    local stores, loads          memory cluster 2      priority 1
    wait for shared memory       end of the iteration  priority 0

The pipeliner has already put the operations in this order, at 4 stages. Memory clusters have the
higher priority: their few vector instructions compute addresses, and must not wait until the other
warp ends its compute cluster. Scalar instructions belong to memory clusters, because a scalar and
a vector instruction issue together only if they are of different warps. The waits at the end of
memory clusters keep LLVM from placing waits inside compute clusters. The last barrier of an
iteration is the first of the next, or else LLVM moves the scalar instructions of the loop after it.
"""

from __future__ import annotations

from weft.ir import ttg
from weft.ir.builtin import Operation
from weft.passes.amd.block_pingpong.instructions import Instructions, insert_before
from weft.passes.amd.block_pingpong.loop_operations import LoopOperations

__all__ = ["schedule_chained_dots"]


def schedule_chained_dots(ops: LoopOperations) -> bool:
    """Insert barriers between clusters; return whether both memory clusters exist."""
    if len(ops.dots) != 2 or not ops.are_in_body(ops.dots):
        return False
    first_dot, second_dot = ops.dots
    first_memory, second_memory = (_next_memory_cluster(dot) for dot in ops.dots)
    if first_memory is None or second_memory is None or first_memory is second_memory:
        return False
    create = Instructions(ops.loop.location)
    insert_before(first_dot, create.plain_barrier(), create.scheduling_barrier())
    _begin_memory_cluster(create, first_memory)
    insert_before(
        second_dot,
        create.scheduling_barrier(),
        create.priority(0),
        create.wait_for_shared_memory(),
        create.plain_barrier(),
        create.scheduling_barrier(),
    )
    _begin_memory_cluster(create, second_memory)
    insert_before(
        ops.loop.terminator,
        create.scheduling_barrier(),
        create.priority(0),
        create.wait_for_shared_memory(),
    )
    return True


def _next_memory_cluster(dot: Operation) -> Operation | None:
    """Find the first wait for copies or store to shared memory after a dot."""
    op: Operation | None = dot
    while op is not None and not isinstance(op, ttg.AsyncWaitOp | ttg.LocalStoreOp):
        op = op.next_op
    return op


def _begin_memory_cluster(create: Instructions, op: Operation) -> None:
    block = op.parent
    assert block is not None
    insert_before(op, create.scheduling_barrier())
    if isinstance(op, ttg.AsyncWaitOp):
        # Code generation adds the barrier: other warps read what this one copied.
        for new_op in (create.scheduling_barrier(), create.priority(1)):
            block.insert_op_after(new_op, op)
    else:
        insert_before(op, create.barrier(), create.priority(1))
