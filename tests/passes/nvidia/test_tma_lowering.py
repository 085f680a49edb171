"""Errors of TMA lowering: descriptors without encoding, element types that TMA lacks."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline


def run(text: str) -> None:
    run_pipeline(parse_pipeline("triton-nvidia-tma-lowering"), parse_module(text), verify=True)


def test_a_descriptor_without_encoding():
    text = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @f(%d: !tt.tensordesc<tensor<128xf16>>, %i: i32) -> tensor<128xf16, #blocked> {
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<128xf16>> -> tensor<128xf16, #blocked>
  tt.return %x : tensor<128xf16, #blocked>
}
}
"""  # noqa: E501
    with pytest.raises(PassError) as error:
        run(text)
    assert "tensor descriptor has no shared-memory encoding" in str(error.value)
    assert "triton-nvidia-optimize-descriptor-encoding" in str(error.value)


def test_element_type_that_tma_does_not_support():
    text = """
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 1, rank = 1}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @f(%p: !tt.ptr<i1>, %n: i32, %s: i64) -> !tt.tensordesc<tensor<128xi1, #shared>> {
  %d = tt.make_tensor_descriptor %p, [%n], [%s] : <i1>, <tensor<128xi1, #shared>>
  tt.return %d : !tt.tensordesc<tensor<128xi1, #shared>>
}
}
"""  # noqa: E501
    with pytest.raises(PassError, match="TMA does not support element type i1"):
        run(text)
