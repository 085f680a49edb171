"""Make the first store to an accumulator in a warp-specialized loop its initial value.

%m, %t0 = ttng.tmem_alloc
%t1 = ttng.tmem_store %x, %m[%t0]          →     %m, %t1 = ttng.tmem_alloc %x
"""

from __future__ import annotations

from weft.ir import ttg, ttng
from weft.ir.builtin import Operation, OpResult
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import convert_layout
from weft.passes.pipelining.partitions.attributes import (
    has_partition,
    partition_ids,
    set_partition,
    warp_specialized_loop,
)
from weft.passes.rewrite.greedy import RewriteRules
from weft.passes.rewrite.nesting import precedes
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["RULES"]


def _fold_store(op: Operation, rewriter: Rewriter) -> bool:
    """Merge an allocation with a store whose tensor is defined before it."""
    assert isinstance(op, ttng.TMEMAllocOp)
    if op.src is not None or warp_specialized_loop(op) is None:
        return False
    users = [use.operation for result in op.results for use in result.uses]
    for store in users:
        if (
            isinstance(store, ttng.TMEMStoreOp)
            and isinstance(store.src, OpResult)
            and precedes(store.src.op, op)
        ):
            _merge(op, store, rewriter)
            return True
    return False


def _merge(op: ttng.TMEMAllocOp, store: ttng.TMEMStoreOp, rewriter: Rewriter) -> None:
    allocation = rewriter.create(
        ttng.TMEMAllocOp, [store.src], [op.results[0].type, ttg.async_token], before=op
    )
    token = allocation.results[1]
    if store.token is not None:
        rewriter.replace_uses(store.token, token)
    if has_partition(store):
        # The allocation may be in several partitions. The one that stores is its owner.
        set_partition(allocation, partition_ids(store))
    rewriter.erase(store)
    rewriter.replace(op, allocation.results[: len(op.results)])


RULES = RewriteRules(
    FOLDS,
    {**convert_layout.PATTERNS, ttng.TMEMAllocOp: (_fold_store,)},
    top_down=False,
    merge_blocks=True,
)
