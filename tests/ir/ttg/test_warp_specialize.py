"""Access to the partitions of `ttg.warp_specialize`."""

from __future__ import annotations

from tests.ir.gpu import module
from weft.ir import ttg, types
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.ir.verifier import verify

TEXT = """%r = ttg.warp_specialize(%i)
default {
  ttg.warp_yield %i : i32
}
partition0(%a: i32) num_warps(1) {
  ttg.warp_return
} : (i32) -> i32"""


def test_partitions() -> None:
    parsed = parse_module(module(TEXT, "%i: i32"))
    verify(parsed)
    (op,) = [op for op in walk(parsed) if isinstance(op, ttg.WarpSpecializeOp)]
    assert op.num_warps == (1,)
    assert len(op.partitions) == 1
    assert [value.type for value in op.holder.operands] == [types.i32]
