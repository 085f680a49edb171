"""An operation in another layout, with conversions around it."""

from __future__ import annotations

from weft.ir import types
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.layouts import BlockedEncoding
from weft.passes.rewrite.change_layout import change_layout

TEXT = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func @f(%p: tensor<512x!tt.ptr<f32>, #blocked>, %m: tensor<512xi1, #blocked>) -> tensor<512xf32, #blocked> {
  %x = tt.load %p, %m {"a" = 1 : i32} : tensor<512x!tt.ptr<f32>, #blocked>
  tt.return %x : tensor<512xf32, #blocked>
}
}
"""  # noqa: E501
WIDE = BlockedEncoding((4,), (32,), (4,), (0,))


def changed(encoding, is_converted):
    module = parse_module(TEXT)
    load = next(op for op in module.walk() if op.name == "tt.load")
    new_load = change_layout(load, encoding, is_converted)
    verify(module)
    return new_load, print_module(module)


def test_operands_and_results_are_converted():
    load, text = changed(WIDE, lambda op, value: True)
    assert types.encoding(load.results[0].type) is WIDE
    assert text.count("ttg.convert_layout") == 3
    assert "a = 1 : i32" in text
    assert "tt.return %3 : tensor<512xf32, #blocked>" in text


def test_the_same_layout_needs_no_conversion_of_results():
    _, text = changed(BlockedEncoding((1,), (32,), (4,), (0,)), lambda op, value: False)
    assert "ttg.convert_layout" not in text
