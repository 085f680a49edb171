"""The layout of a result from an operand's, and back, for every kind of operation."""

from __future__ import annotations

import pytest

from weft.analysis.encoding_inference import (
    has_one_encoding,
    is_elementwise,
    is_expensive_view,
    is_view,
    operand_encoding,
    result_encoding,
)
from weft.ir import types
from weft.ir.text import parse_module
from weft.layouts import BlockedEncoding, SliceEncoding

PLAIN = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))
COLUMNS = BlockedEncoding((4, 1), (8, 4), (1, 4), (0, 1))
CUBE = BlockedEncoding((1, 4, 2), (4, 8, 1), (4, 1, 1), (2, 1, 0))

TEXT = f"""
#plain = {PLAIN}
#columns = {COLUMNS}
#cube = {CUBE}
#packed = #ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1],
      order = [1, 0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp"
      = 32 : i32}} {{
tt.func public @k(%x: tensor<64x32xf32, #plain>, %i: tensor<64x32xi32, #plain>, %b:
      tensor<64x16xi8, #packed>, %l: tensor<64xf32, #ttg.slice<{{dim = 1, parent = #plain}}>>,
      %p: tensor<64x32x!tt.ptr<f32>, #plain>, %h: tensor<64x32xbf16, #plain>) {{
  %add = arith.addf %x, %x : tensor<64x32xf32, #plain>
  %exp = math.exp %x : tensor<64x32xf32, #plain>
  %load = tt.load %p : tensor<64x32x!tt.ptr<f32>, #plain>
  %reduce = "tt.reduce"(%x) <{{axis = 1 : i32}}> ({{
  ^bb0(%s: f32, %t: f32):
    %sum = arith.addf %s, %t : f32
    tt.reduce.return %sum : f32
  }}) : (tensor<64x32xf32, #plain>) -> tensor<64xf32, #ttg.slice<{{dim = 1, parent = #plain}}>>
  %scan = "tt.scan"(%x) <{{axis = 1 : i32, reverse = false}}> ({{
  ^bb0(%s: f32, %t: f32):
    %sum = arith.addf %s, %t : f32
    tt.scan.return %sum : f32
  }}) : (tensor<64x32xf32, #plain>) -> tensor<64x32xf32, #plain>
  %expand = tt.expand_dims %l {{axis = 1 : i32}} : tensor<64xf32, #ttg.slice<{{dim = 1, parent =
      #plain}}>> -> tensor<64x1xf32, #plain>
  %trans = tt.trans %x {{order = array<i32: 1, 0>}} : tensor<64x32xf32, #plain> ->
      tensor<32x64xf32, #ttg.blocked<{{sizePerThread = [4, 1], threadsPerWarp = [8, 4],
      warpsPerCTA = [1, 4], order = [0, 1]}}>>
  %join = tt.join %x, %x : tensor<64x32xf32, #plain> -> tensor<64x32x2xf32, #cube>
  %left, %right = tt.split %join : tensor<64x32x2xf32, #cube> -> tensor<64x32xf32, #plain>
  %reshape = tt.reshape %x allow_reorder : tensor<64x32xf32, #plain> -> tensor<32x64xf32, #plain>
  %gather = tt.gather %x[%i] {{axis = 0 : i32}} : (tensor<64x32xf32, #plain>, tensor<64x32xi32,
      #plain>) -> tensor<64x32xf32, #plain>
  %unpack = ttg.fp4_to_fp %b {{axis = 1 : i32}} : tensor<64x16xi8, #packed> ->
      tensor<64x32xbf16, #plain>
  %histogram = tt.histogram %l : tensor<64xf32, #ttg.slice<{{dim = 1, parent = #plain}}>> ->
      tensor<16xi32, #ttg.slice<{{dim = 1, parent = #plain}}>>
  %convert = ttg.convert_layout %x : tensor<64x32xf32, #plain> -> tensor<64x32xf32, #columns>
  %scaled = amdg.scaled_upcast_fp4 %b scale %h {{axis = 1 : i32}} : tensor<64x16xi8, #packed>,
      tensor<64x32xbf16, #plain> -> tensor<64x32xbf16, #plain>
  tt.return
}}
}}
"""
OPS = {op.name.partition(".")[2]: op for op in parse_module(TEXT).walk()}


@pytest.mark.parametrize("name", ["addf", "exp", "load"])
def test_elements_stay_where_they_are(name):
    assert has_one_encoding(OPS[name])
    assert result_encoding(OPS[name], COLUMNS) is COLUMNS
    assert operand_encoding(OPS[name], COLUMNS) is COLUMNS


def test_kinds():
    assert is_elementwise(OPS["addf"])
    assert not is_elementwise(OPS["load"])
    assert is_view(OPS["trans"])
    assert not is_view(OPS["addf"])


@pytest.mark.parametrize("name", ["reduce", "expand_dims", "trans", "join", "split", "fp4_to_fp"])
def test_the_types_of_an_operation_follow_from_each_other(name):
    op = OPS[name]
    inputs, output = types.encoding(op.operands[0].type), types.encoding(op.results[0].type)
    assert inputs is not None
    assert output is not None
    assert result_encoding(op, inputs) is output
    back = operand_encoding(op, output)
    assert back is not None
    assert back.linear(types.shape(op.operands[0].type)) is inputs.linear(
        types.shape(op.operands[0].type)
    )


def test_reductions_and_expand_dims_use_slices_of_their_axis():
    other = SliceEncoding(0, PLAIN)
    assert operand_encoding(OPS["reduce"], other) is None
    assert operand_encoding(OPS["reduce"], PLAIN) is None
    assert result_encoding(OPS["expand_dims"], other) is None


def test_split_needs_both_elements_in_one_thread():
    apart = BlockedEncoding((1, 4, 1), (4, 4, 2), (4, 1, 1), (2, 1, 0))
    assert result_encoding(OPS["split"], apart) is None
    assert operand_encoding(OPS["join"], apart) is None


def test_only_blocked_layouts_are_scanned():
    assert result_encoding(OPS["scan"], COLUMNS) is COLUMNS
    assert result_encoding(OPS["scan"], SliceEncoding(0, CUBE)) is None
    assert operand_encoding(OPS["scan"], SliceEncoding(0, CUBE)) is None


def test_reshape_with_reorder_histogram_and_conversion_infer_nothing():
    for name in ("reshape", "histogram", "convert_layout"):
        assert result_encoding(OPS[name], PLAIN) is None
        assert operand_encoding(OPS[name], PLAIN) is None


def test_a_gather_has_the_layout_of_its_indices():
    assert result_encoding(OPS["gather"], COLUMNS) is COLUMNS
    assert operand_encoding(OPS["gather"], COLUMNS) is COLUMNS


def test_an_upcast_infers_a_layout_per_operand():
    op = OPS["scaled_upcast_fp4"]
    assert operand_encoding(op, PLAIN, 0) is types.encoding(op.operands[0].type)
    assert operand_encoding(op, PLAIN, 1) is PLAIN
    assert operand_encoding(op, BlockedEncoding((1, 1), (4, 8), (4, 1), (1, 0)), 0) is None
    assert result_encoding(op, PLAIN) is None


def test_a_view_is_expensive_if_elements_per_thread_differ():
    few = types.tensor((64,), types.f32, BlockedEncoding((1,), (32,), (4,), (0,)))
    same = types.tensor((8, 8), types.f32, BlockedEncoding((1, 1), (4, 8), (4, 1), (1, 0)))
    more = types.tensor((8, 8), types.f32, BlockedEncoding((4, 4), (4, 8), (4, 1), (1, 0)))
    assert not is_expensive_view(few, same)
    assert is_expensive_view(few, more)
