"""Functions for Ampere and later: asynchronous copies, mbarriers and mma.sync."""

from __future__ import annotations

from weft.gluon.builtin import builtin_of
from weft.gluon.nvidia.ampere import async_copy, mbarrier

__all__ = ["async_copy", "mbarrier", "mma_v2"]


@builtin_of("nvidia.ampere")
def mma_v2(a, b, acc, input_precision=None):
    """Return a * b + acc, computed by mma.sync.

    Args:
        a: A tensor whose layout is DotOperandLayout(0, …).
        b: A tensor whose layout is DotOperandLayout(1, …).
        acc: A tensor whose layout is NVMMADistributedLayout([2, 0], …), the parent of the
            operands' layouts.
        input_precision: How fp32 operands are multiplied: "tf32", "tf32x3", "ieee", ….
    """
