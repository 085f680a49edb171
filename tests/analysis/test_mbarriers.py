"""Buffers of mbarriers: which are used, and until when they keep their memory."""

from __future__ import annotations

from weft.analysis.allocation import Allocation, allocate
from weft.ir import tt
from weft.ir.text import parse_module

MBARRIER = "!ttg.memdesc<1xi64, #s, #smem, mutable>"
MODULE = """
#s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @kernel(%phase: i32) {{
    %two = ttg.local_alloc {{name = "m"}} : () -> !ttg.memdesc<2x1xi64, #s, #smem, mutable>
    %m = ttg.memdesc_index %two[%phase] : !ttg.memdesc<2x1xi64, #s, #smem, mutable> -> {mbarrier}
    ttng.init_barrier %m, 1 : {mbarrier}
    {statements}
    %later = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #s, #smem, mutable>
    %x = ttg.local_load %later : !ttg.memdesc<64xf32, #s, #smem, mutable> -> tensor<64xf32, #r>
    tt.return
  }}
}}
""".replace(
    "#smem = ",
    "#r = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}}>\n#smem = ",
)
WAIT = f"ttng.wait_barrier %m, %phase : {MBARRIER}"
INVAL = f"ttng.inval_barrier %m : {MBARRIER}"


def allocation_of(*statements: str) -> Allocation:
    text = MODULE.format(mbarrier=MBARRIER, statements="\n    ".join(statements))
    module = parse_module(text)
    (function,) = (op for op in module.walk() if isinstance(op, tt.FuncOp))
    return allocate(function, lambda value: 16 if "i64" in str(value.type) else 256, lambda op: 0)


def uses(allocation: Allocation) -> tuple[bool, bool]:
    (each,) = allocation.mbarriers.values()
    return each.is_used, each.is_invalidated


def overlap(allocation: Allocation) -> bool:
    """Check whether the mbarriers and the buffer after them share memory."""
    mbarriers, later = allocation.buffers.values()
    return mbarriers.overlaps(later)


def test_memory_of_a_valid_mbarrier_holds_nothing_else():
    allocation = allocation_of(WAIT)
    assert uses(allocation) == (True, False)
    assert not overlap(allocation)


def test_invalidation_frees_the_memory():
    allocation = allocation_of(WAIT, INVAL)
    assert uses(allocation) == (True, True)
    assert overlap(allocation)


def test_an_mbarrier_that_nothing_uses_needs_no_memory():
    for statements in ((), (INVAL,)):
        allocation = allocation_of(*statements)
        assert uses(allocation) == (False, bool(statements))
        assert overlap(allocation)
