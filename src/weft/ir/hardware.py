"""The threads and warps that IR with layouts is written for.

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, …}
  ttg.warp_specialize … partition0() num_warps(2)     … in here, 2 warps
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import attributes, ttg
from weft.ir.builtin import ModuleOp, Operation

__all__ = ["blocks_around", "blocks_of_cluster", "threads_per_warp", "warps_around"]


def threads_per_warp(module: ModuleOp) -> int:
    """Return the threads of a warp.

    Raises: PassError: the module does not say.
    """
    return _count(module, "ttg.threads-per-warp")


def blocks_of_cluster(module: ModuleOp) -> int:
    """Return how many blocks a cluster has; 1 where the module does not say."""
    found = attributes.number(module.attributes.get("ttg.num-ctas"))
    return found if isinstance(found, int) else 1


def blocks_around(op: Operation) -> int:
    """Return how many blocks run an operation: its module's cluster."""
    top = op
    while (outer := top.parent_op()) is not None:
        top = outer
    return blocks_of_cluster(top) if isinstance(top, ModuleOp) else 1


def warps_around(op: Operation) -> int:
    """Return how many warps run an operation: its partition's, or the module's.

    Raises: PassError: the module does not say.
    """
    inner = op
    while (outer := inner.parent_op()) is not None:
        if isinstance(outer, ttg.WarpSpecializePartitionsOp):
            block = inner.parent
            specialized = outer.parent_op()
            assert block is not None
            assert isinstance(specialized, ttg.WarpSpecializeOp)
            region = next(i for i, one in enumerate(outer.regions) if one is block.parent)
            return specialized.num_warps[region]
        inner = outer
    return _count(inner, "ttg.num-warps")


def _count(module: Operation, key: str) -> int:
    found = attributes.number(module.attributes.get(key))
    if not isinstance(found, int):
        raise PassError(
            f'the module does not say "{key}": it has no layouts yet',
            found=f"attributes {sorted(module.attributes)}",
            hint="run convert-triton-to-tritongpu first",
        )
    return found
