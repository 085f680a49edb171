"""MLIR's options of canonicalize: each changes what is done."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

BLOCKS = """
tt.func public @f(%c: i1, %p: !tt.ptr<i32>, %x: i32) {
  cf.cond_br %c, ^a, ^b
^a:
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
^b:
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
^never:
  tt.return
}
"""

CHAIN = """
tt.func public @f(%x: i32, %y: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %c1, %c1 : i32
  %1 = arith.addi %x, %0 : i32
  %2 = arith.addi %1, %c1 : i32
  tt.return %2 : i32
}
"""


def after(text: str, options: str) -> str:
    module = parse_module(text)
    run_pipeline(parse_pipeline(f"canonicalize{{{options}}}"), module, verify=True)
    return print_module(module)


def test_region_simplify():
    counts = {
        how: after(BLOCKS, f"region-simplify={how}").count("tt.return")
        for how in ("disabled", "normal", "aggressive")
    }
    assert counts == {"disabled": 3, "normal": 2, "aggressive": 1}


def test_no_pattern_is_applied_where_none_may_be():
    assert "arith.addi" in after(CHAIN, "max-num-rewrites=0")
    assert after(CHAIN, "max-num-rewrites=0") == print_module(parse_module(CHAIN))
    assert after(CHAIN, "max-num-rewrites=-1").count("arith.addi") == 1


def test_no_round_is_run_where_none_may_be():
    assert after(CHAIN, "max-iterations=0") == print_module(parse_module(CHAIN))
    assert after(CHAIN, "max-iterations=-1") == after(CHAIN, "")


def test_from_the_last_operation_up():
    assert after(CHAIN, "top-down=false").count("arith.addi") == 1


def test_test_convergence_option():
    after(CHAIN, "test-convergence=true")
    with pytest.raises(PassError, match="canonicalize did not converge") as caught:
        after(CHAIN, "test-convergence=true max-iterations=1")
    assert "max-iterations=1" in str(caught.value)
