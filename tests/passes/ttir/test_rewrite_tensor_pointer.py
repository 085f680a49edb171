"""Block pointers that the pass cannot rewrite."""

from __future__ import annotations

import pytest

from weft.errors import PassError
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline


def test_a_block_pointer_in_a_while_loop_is_an_error():
    text = """
tt.func public @k(%x: !tt.ptr<f32>, %c: i1) {
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %q = tt.make_tensor_ptr %x, [%one], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.while (%a = %q) : (!tt.ptr<tensor<64xf32>>) -> (!tt.ptr<tensor<64xf32>>) {
    scf.condition(%c) %a : !tt.ptr<tensor<64xf32>>
  } do {
  ^bb0(%a: !tt.ptr<tensor<64xf32>>):
    scf.yield %a : !tt.ptr<tensor<64xf32>>
  }
  tt.return
}
"""
    with pytest.raises(PassError, match=r"scf\.while does not support block pointers") as error:
        run_pipeline(parse_pipeline("triton-rewrite-tensor-pointer"), parse_module(text))
    assert "accepted: tt.load, tt.store, tt.advance, scf.for, scf.if" in str(error.value)


def test_a_block_pointer_argument_is_an_error():
    text = """
tt.func public @k(%q: !tt.ptr<tensor<64xf32>>) {
  %v = tt.load %q : !tt.ptr<tensor<64xf32>>
  tt.return
}
"""
    with pytest.raises(PassError, match=r"tt\.func does not support block pointers"):
        run_pipeline(parse_pipeline("triton-rewrite-tensor-pointer"), parse_module(text))
