"""The ledger of the plan that splits dots over the CTAs of a cluster."""

from __future__ import annotations

from weft.decisions import collecting
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

TEXT = """
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @f(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
}
"""  # noqa: E501


def test_splits_over_ctas_are_recorded():
    module = parse_module(TEXT)
    with collecting() as ledger:
        run_pipeline(parse_pipeline("triton-nvidia-gpu-plan-cta"), module, verify=True)
    reasons = {id(decision.value): decision.reason for decision in ledger}
    (dot,) = (op for op in walk(module) if op.name == "tt.dot")
    assert reasons[id(dot.results[0])] == "each CTA multiplies what it loads"
    conversions = [op for op in walk(module) if op.name == "ttg.convert_layout"]
    assert len(conversions) == 4
    for op in conversions:
        assert "converted between different CGALayouts" in reasons[id(op.results[0])]
