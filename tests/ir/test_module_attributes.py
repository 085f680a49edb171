"""The thread hierarchy around an operation."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.ir.text import parse_module

TEXT = """
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: i32) {
    %a = arith.addi %x, %x : i32
    ttg.warp_specialize(%x)
    default {
      %b = arith.subi %x, %x : i32
      ttg.warp_yield
    }
    partition0(%y: i32) num_warps(2) {
      %c = arith.muli %y, %y : i32
      ttg.warp_return
    }
    partition1(%z: i32) num_warps(1) {
      %d = arith.andi %z, %z : i32
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
"""  # noqa: E501


def test_a_partition_has_its_own_number_of_warps():
    module = parse_module(TEXT)
    warps = {op.name: lookup_num_warps(op) for op in module.walk() if op.name.startswith("arith")}
    assert warps == {"arith.addi": 4, "arith.subi": 4, "arith.muli": 2, "arith.andi": 1}
    assert (lookup_threads_per_warp(module), lookup_num_ctas(module)) == (32, 2)


def test_missing_attributes():
    module = parse_module("tt.func public @k() {\ntt.return\n}")
    function = module.body.block.first_op
    assert function is not None
    assert lookup_num_ctas(module) == 1
    assert lookup_threads_per_warp(module) == 32
    with pytest.raises(PassError, match=r"missing module attribute .ttg.num-warps.") as error:
        lookup_num_warps(function)
    assert "run convert-triton-to-tritongpu first" in str(error.value)


def test_a_function_has_its_own_number_of_warps():
    text = TEXT.replace("%x: i32) {", '%x: i32) attributes {"ttg.num-warps" = 8 : i32} {', 1)
    module = parse_module(text)
    warps = {op.name: lookup_num_warps(op) for op in module.walk() if op.name.startswith("arith")}
    assert warps == {"arith.addi": 8, "arith.subi": 8, "arith.muli": 2, "arith.andi": 1}
