"""MMAs of one module that do not agree on two CTAs."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline

MODULE = """
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
!operand = !ttg.memdesc<128x128xf16, #shared, #smem>
!result = !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:100"} {
  tt.func @f(%a: !operand, %b: !operand, %d: !result, %p: i1) {
    MMAS
    tt.return
  }
}
"""
MMA = "ttng.tc_gen5_mma %a, %b, %d, %p, %p ATTRIBUTES : !operand, !operand, !result"


def two_ctas(*attributes: str) -> str:
    """Run the pass on MMAs with the given attributes; print the attribute of the module."""
    text = MODULE.replace("MMAS", "\n".join(MMA.replace("ATTRIBUTES", each) for each in attributes))
    for name in ("operand", "result"):
        definition = next(line for line in text.splitlines() if line.startswith(f"!{name} ="))
        text = text.replace(definition, "").replace(f"!{name}", definition.partition("= ")[2])
    module = parse_module(text)
    run_pipeline(parse_pipeline("triton-nvidia-check-matmul-two-cta"), module)
    return str(module.attributes["ttng.two-ctas"])


def test_the_attribute_is_that_of_the_mmas():
    assert two_ctas("{two_ctas}", "{two_ctas}").startswith("true")
    assert two_ctas("", "").startswith("false")


@pytest.mark.parametrize("attributes", [("{two_ctas}", ""), ("", "{two_ctas}")])
def test_mmas_that_do_not_agree(attributes):
    with pytest.raises(PassError, match="inconsistent two_ctas setting across matmuls"):
        two_ctas(*attributes)
