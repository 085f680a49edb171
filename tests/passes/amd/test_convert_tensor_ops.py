"""TDM copies need tensors with layouts."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline


def test_a_descriptor_load_without_a_layout():
    text = """
tt.func public @k(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> tensor<64x32xf16> {
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  tt.return %0 : tensor<64x32xf16>
}
"""
    with pytest.raises(PassError, match="a tensor with a layout expected"):
        run_pipeline(parse_pipeline("tritonamdgpu-convert-tensor-ops"), parse_module(text))
