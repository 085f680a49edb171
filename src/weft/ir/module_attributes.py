"""The thread hierarchy that IR with layouts is compiled for.

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   "ttg.threads-per-warp" = 32 : i32}
  tt.func @f() attributes {"ttg.num-warps" = 8 : i32}   8 warps run this function
  ttg.warp_specialize … partition0() num_warps(2)       2 warps run this region
"""

from __future__ import annotations

from weft.errors import PassError
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import IntegerAttr, ModuleOp, Operation

__all__ = [
    "DEFAULT_THREADS_PER_WARP",
    "lookup_num_ctas",
    "lookup_num_warps",
    "lookup_threads_per_warp",
]

DEFAULT_THREADS_PER_WARP = 32


def lookup_threads_per_warp(module: ModuleOp) -> int:
    """Read `ttg.threads-per-warp`, 32 for a module without it, as in Triton."""
    count = attributes.number(module.attributes.get("ttg.threads-per-warp"))
    return count if isinstance(count, int) else DEFAULT_THREADS_PER_WARP


def lookup_num_ctas(op: Operation) -> int:
    """Read `ttg.num-ctas`, the CTAs per cluster, of the module around an operation; default 1.

    The attribute is read as signed, so that an `i1` is 0 or -1, as with Triton.
    """
    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is None:
        return 1
    count = module.attributes.get("ttg.num-ctas")
    if not isinstance(count, IntegerAttr):
        return 1
    return -abs(count.value.data) if count.type == types.i1 else count.value.data


def lookup_num_warps(op: Operation) -> int:
    """Find how many warps run an operation: those of its partition, function or module.

    Raises:
        PassError: None of them says.
    """
    inner = op
    while (outer := inner.parent_op()) is not None:
        if isinstance(inner, tt.FuncOp | ModuleOp) and "ttg.num-warps" in inner.attributes:
            break
        if isinstance(outer, ttg.WarpSpecializePartitionsOp):
            specialize, region = outer.parent_op(), inner.parent_region()
            assert isinstance(specialize, ttg.WarpSpecializeOp)
            assert region is not None
            return specialize.num_warps[outer.regions.index(region)]
        inner = outer
    return _require_count(inner, "ttg.num-warps")


def _require_count(module: Operation, key: str) -> int:
    count = attributes.number(module.attributes.get(key))
    if not isinstance(count, int):
        raise PassError(
            f'missing module attribute "{key}"',
            found=f"attributes {sorted(module.attributes)}",
            hint="run convert-triton-to-tritongpu first",
        )
    return count
