"""Effects of operations on shared memory, and the error for an operation without a row."""

from __future__ import annotations

import pytest
from xdsl.dialects import test as test_dialect

from weft.analysis.shared_memory_effects import (
    SharedMemoryEffects,
    is_in_shared_memory,
    shared_memory_effects,
)
from weft.errors import CodegenError
from weft.ir.builtin import Operation
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

MODULE = """
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%x: tensor<128xf32, #rows>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %b = ttg.local_alloc %x : (tensor<128xf32, #rows>) -> !ttg.memdesc<128xf32, #s, #smem>
    ttg.local_store %x, %a : tensor<128xf32, #rows> -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %y = ttg.local_load %a : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #rows>
    tt.return
  }
}
"""


def operations() -> dict[str, Operation]:
    ops = [op for op in walk(parse_module(MODULE)) if op.name.startswith("ttg.")]
    return dict(zip(("empty", "filled", "store", "load"), ops, strict=True))


def test_operations_read_and_write_the_fields_that_rows_name():
    ops = operations()
    empty, filled = ops["empty"].results[0], ops["filled"].results[0]
    assert shared_memory_effects(ops["empty"]) == SharedMemoryEffects()
    assert shared_memory_effects(ops["filled"]) == SharedMemoryEffects([], [filled], [])
    assert shared_memory_effects(ops["store"]) == SharedMemoryEffects([], [empty], [])
    assert shared_memory_effects(ops["load"]) == SharedMemoryEffects([empty], [], [])
    assert is_in_shared_memory(empty)
    assert not is_in_shared_memory(ops["load"].results[0])


def test_an_operation_without_a_row_is_an_error():
    inputs = operations()["empty"].results[0]
    with pytest.raises(CodegenError, match=r"unknown effect of test\.op on shared memory"):
        shared_memory_effects(test_dialect.TestOp([inputs]))
    assert (
        shared_memory_effects(test_dialect.TestOp([operations()["load"].results[0]]))
        == SharedMemoryEffects()
    )
