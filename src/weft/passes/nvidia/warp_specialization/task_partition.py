"""Choose the tasks of loads, dots and stores.

    %a = tt.descriptor_load …        {async_task_id = array<i32: 0>}       feeds a dot
    %d = ttng.warp_group_dot %a …    {async_task_id = array<i32: 1, 2>}
    tt.store %p, %d                  {async_task_id = array<i32: 1, 2>}

Task 0 is the producer, the others are consumers.
"""

from __future__ import annotations

from math import prod

from weft.analysis.slices import backward_slice
from weft.ir import scf, tt, ttng, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.module_attributes import lookup_num_warps, lookup_threads_per_warp
from weft.ir.rewriting import ancestors, walk
from weft.passes.nvidia.warp_specialization.task_ids import set_tasks, tasks_of

__all__ = ["choose_tasks"]

PRODUCER = 0


def choose_tasks(function: tt.FuncOp, groups: int) -> None:
    """Give loads that feed dots to the producer, and dots and stores to the consumers.

    Args:
        function: A function; nothing changes if some of its operations have tasks already.
        groups: The number of groups of warps: one producer, and consumers.
    """
    operations = list(walk(function))
    if any(tasks_of(op) for op in operations):
        return
    dots = [op for op in operations if isinstance(op, ttng.WarpGroupDotOp)]
    if not any(isinstance(op, scf.ForOp) for op in operations):
        return
    loads: dict[Operation, None] = {}
    for dot in dots:
        for value in (dot.a, dot.b):
            for op in backward_slice(value, inclusive=True, omit_block_arguments=True):
                if isinstance(op, tt.DescriptorLoadOp) or _is_expensive_load(op):
                    loads[op] = None
    if not loads:
        return
    for load in loads:
        set_tasks(load, (PRODUCER,))
    consumers = range(PRODUCER + 1, groups)
    for op in operations:
        if isinstance(op, ttng.WarpGroupDotOp | tt.StoreOp | tt.DescriptorStoreOp):
            set_tasks(op, consumers)


def _is_expensive_load(op: Operation) -> bool:
    """Check whether a load is of at least one element per thread."""
    if not isinstance(op, tt.LoadOp):
        return False
    pointers = op.operands[0].type
    if not types.is_tensor(pointers):
        return types.is_tensor(types.element(pointers))  # a pointer to a tensor
    count = prod(types.shape(pointers))
    *_, module = ancestors(op)
    assert isinstance(module, ModuleOp)
    return count > 1 and count >= lookup_num_warps(op) * lookup_threads_per_warp(module)
