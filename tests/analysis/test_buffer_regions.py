"""Regions of buffers: what the analysis refuses."""

from __future__ import annotations

import pytest

from weft.analysis.buffer_regions import BufferRegion, buffer_regions
from weft.errors import PassError
from weft.ir import ttg
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

TEXT = """
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<16xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @f() {
    %a = ttg.local_alloc ATTRIBUTES : () -> !buffer
    USE
    tt.return
  }
}
"""


def module_of(attributes: str, use: str = ""):
    return parse_module(TEXT.replace("ATTRIBUTES", attributes).replace("USE", use))


def test_an_allocation_needs_an_offset():
    with pytest.raises(PassError, match=r"the allocation has no allocation\.offset"):
        buffer_regions(module_of(""))


def test_an_unknown_use_of_memory():
    module = module_of("{allocation.offset = 0 : i32}", "ttg.local_dealloc %a : !buffer")
    with pytest.raises(PassError, match="unaccounted for in buffer region analysis"):
        buffer_regions(module)


def test_regions_of_a_value():
    module = module_of("{allocation.offset = 32 : i32}")
    alloc = next(op for op in walk(module) if isinstance(op, ttg.LocalAllocOp))
    assert buffer_regions(module)[alloc.results[0]] == [BufferRegion(32, 64)]
