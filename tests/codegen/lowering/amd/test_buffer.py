"""Buffer loads and stores: vector width from axis info and from `contiguity`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.running import interpreted, simulated
from weft.codegen import lower
from weft.ir.text import parse_module
from weft.ir.ttg import LocalAllocOp
from weft.lowering_plans.memdesc import buffer_alignment

# The offsets are not known to be multiples of anything: what they start from is read.
TEXT = """
#l = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32,
 ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
tt.func public @k(%x: !tt.ptr<i32>, %start: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %s = tt.load %start : !tt.ptr<i32>
  %t = tt.splat %s : i32 -> tensor<512xi32, #l>
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #l>
  %o = arith.addi %t, %r : tensor<512xi32, #l>
  %v = amdg.buffer_load %x[%o] {contiguity = READ : i32} : tensor<512xi32, #l>
  amdg.buffer_store %v, %y[%o] {contiguity = WRITE : i32} : tensor<512xi32, #l>
  tt.return
}
}
"""


@pytest.mark.parametrize(("read", "write"), [(1, 1), (4, 2), (2, 4), (8, 1)])
def test_vector_width_from_contiguity(read, write):
    module = parse_module(TEXT.replace("READ", str(read)).replace("WRITE", str(write)))
    x = np.arange(600, dtype=np.int32)
    arguments = [x, np.full(1, 16, np.int32), np.zeros_like(x)]
    expected, actual = interpreted(module, arguments), simulated(module, arguments)
    np.testing.assert_array_equal(actual[2], expected[2])
    for verb, said in (("load", read), ("store", write)):
        widths = re.findall(rf"call .*raw\.ptr\.buffer\.{verb}\.(\w+)\(", lower(module).text)
        each = min(said, 4)
        assert widths == ["i32" if each == 1 else f"v{each}i32"] * (8 // each)


ALLOCATED = """
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32,
 ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k() {
  %a = ttg.local_alloc ALIGNED : () -> !ttg.memdesc<32xi32, #s, #smem, mutable>
  tt.return
}
}
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [("", 16), ("{alignment = 8 : i32}", 16), ("{alignment = 256 : i32}", 256)],
)
def test_shared_memory_base(said, expected):
    module = parse_module(ALLOCATED.replace("ALIGNED", said))
    (op,) = (op for op in module.walk() if isinstance(op, LocalAllocOp))
    assert buffer_alignment(op.results[0]) == expected
