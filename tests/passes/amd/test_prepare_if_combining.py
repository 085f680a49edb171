"""The ledger of operations that move before two conditionals."""

from __future__ import annotations

from weft.decisions import collecting
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

TEXT = """
tt.func public @k(%c: i1, %d: i1, %x: i32, %p: !tt.ptr<i32>) {
  scf.if %c {
    tt.store %p, %x : !tt.ptr<i32>
  }
  %y = arith.addi %x, %x : i32
  scf.if CONDITION {
    tt.store %p, %y : !tt.ptr<i32>
  }
  tt.return
}
"""


def ledger(condition: str) -> list[tuple[str, str]]:
    module = parse_module(TEXT.replace("CONDITION", condition))
    with collecting() as decisions:
        run_pipeline(parse_pipeline("tritonamdgpu-prepare-if-combining"), module, verify=True)
    return [(decision.op, decision.choice) for decision in decisions]


def test_ledger():
    assert ledger("%c") == [("arith.addi", "moved before both")]
    assert ledger("%d") == []
