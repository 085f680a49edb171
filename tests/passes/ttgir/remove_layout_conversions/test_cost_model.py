"""Costs of conversions and of the operations that rematerialization duplicates."""

from __future__ import annotations

import pytest

from weft.ir import types
from weft.ir.text import parse_module
from weft.layouts import BlockedEncoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice
from weft.passes.ttgir.remove_layout_conversions.cost_model import compare_costs, conversion_cost
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues

TEXT = """
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%n: f32, %m: i32, %p: tensor<512x!tt.ptr<f32>, #a>) -> (tensor<512xf32, #a>, tensor<512xf32, #b>) {
  %x = tt.splat %n : f32 -> tensor<512xf32, #a>
  %y = OPERATION
  %z = ttg.convert_layout %y : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tt.return %y, %z : tensor<512xf32, #a>, tensor<512xf32, #b>
}
}
"""  # noqa: E501
B = BlockedEncoding((4,), (32,), (4,), (0,))


@pytest.mark.parametrize(
    ("operation", "terms"),
    [
        ("arith.addf %x, %x : tensor<512xf32, #a>", (("arith.addf", 2048),)),
        ("math.exp %x : tensor<512xf32, #a>", (("math.exp", 8 * 2048),)),
        ("arith.divf %x, %x : tensor<512xf32, #a>", (("arith.divf", 8 * 2048),)),
        ("tt.splat %n : f32 -> tensor<512xf32, #a>", ()),
        ("arith.constant dense<1.0> : tensor<512xf32, #a>", ()),
    ],
)
def test_cost_of_an_operation(operation, terms):
    module = parse_module(TEXT.replace("OPERATION", operation))
    conversion = next(op for op in module.walk() if op.name == "ttg.convert_layout")
    slice_ = BackwardSlice()
    slice_.extend(conversion, 0, B, RematerializedValues())
    comparison = compare_costs(conversion, slice_)
    assert comparison.terms == terms
    assert comparison.conversion == 32 * 2048
    assert comparison.pays_off


def test_conversions_move_at_least_32_bits_per_element_and_32_elements():
    encoding = B
    assert conversion_cost(types.tensor((512,), types.f16, encoding)) == 32 * 2048
    assert conversion_cost(types.tensor((512,), types.f64, encoding)) == 32 * 4096
    assert conversion_cost(types.tensor((4,), types.f32, encoding)) == 32 * 128
