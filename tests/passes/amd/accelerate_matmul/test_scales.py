"""Tiles per warp of scaled dots, by the layout of their scales in memory."""

from __future__ import annotations

import pytest

from weft.ir import tt
from weft.ir.builtin import SSAValue
from weft.ir.text import parse_module
from weft.passes.amd.accelerate_matmul.scales import (
    MARK,
    best_tiles,
    mark_source,
    marked_scale,
    tiles_for_scales,
)

TEXT = """
#p = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1],
  order = [1, 0]}>
#r = #ttg.linear<{register = [[0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 0, 0]], lane = [[0, 0, 0, 1,
  0, 0, 0], [0, 0, 0, 2, 0, 0, 0], [0, 0, 0, 4, 0, 0, 0], [0, 0, 0, 8, 0, 0, 0], [0, 0, 1, 0, 0, 0,
  0], [0, 0, 2, 0, 0, 0, 0]], warp = [[1, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]], block = []}>
#t = #ttg.linear<{register = [[0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0]], lane = [[0, 0, 1, 0,
  0, 0, 0], [0, 0, 2, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0, 0], [0, 0, 8, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1,
  0], [0, 0, 0, 0, 0, 2, 0]], warp = [[1, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]], block = []}>
#s = #ttg.linear<{register = [[16, 0], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1],
  [0, 2]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
tt.func @f(%shuffled: tensor<4x256x!tt.ptr<i8>, #p>, %plain: tensor<128x8x!tt.ptr<i8>, #s>,
    %argument: tensor<128x8xi8, #s>) {
  %0 = tt.load %shuffled : tensor<4x256x!tt.ptr<i8>, #p>
  %1 = tt.reshape %0 : tensor<4x256xi8, #p> -> tensor<4x1x4x16x2x2x1xi8, #r>
  %2 = tt.trans %1 {order = array<i32: 0, 5, 3, 1, 4, 2, 6>}
    : tensor<4x1x4x16x2x2x1xi8, #r> -> tensor<4x2x16x1x2x4x1xi8, #t>
  %3 = tt.reshape %2 : tensor<4x2x16x1x2x4x1xi8, #t> -> tensor<128x8xi8, #s>
  %4 = tt.load %plain : tensor<128x8x!tt.ptr<i8>, #s>
  %5 = arith.addi %3, %4 : tensor<128x8xi8, #s>
  tt.return
}
}
"""


@pytest.fixture
def scales() -> dict[str, SSAValue]:
    """Scales in the order in which lanes read them, row by row, of unknown order, and computed."""
    function = parse_module(TEXT).body.block.first_op
    assert isinstance(function, tt.FuncOp)
    ops = list(function.entry.ops)
    names = {"shuffled": 3, "rows": 4, "sum": 5}
    values: dict[str, SSAValue] = {name: ops[index].results[0] for name, index in names.items()}
    return {**values, "argument": function.entry.args[2]}


@pytest.mark.parametrize(
    ("name", "tiles"),
    [("shuffled", (2, 2)), ("rows", (1, 1)), ("sum", (1, 1)), ("argument", (1, 1))],
)
def test_tiles_of_one_operand(scales, name, tiles):
    assert best_tiles(scales[name], 0, 16, (2, 2)) == tiles


def test_tiles_of_both_operands(scales):
    shuffled, rows = scales["shuffled"], scales["rows"]
    assert best_tiles(None, 0, 16, (2, 2)) == (1, 1)
    assert tiles_for_scales((shuffled, None), 16, (2, 2)) == (2, 2)
    assert tiles_for_scales((None, shuffled), 16, (2, 2)) == (2, 2)
    assert tiles_for_scales((shuffled, rows), 16, (2, 2)) == (2, 1)
    assert tiles_for_scales((rows, shuffled), 16, (2, 2)) == (1, 2)


def test_a_mark_is_found_in_the_backward_slice_once(scales):
    shuffled = scales["shuffled"]
    mark_source(shuffled)
    mark_source(scales["argument"])  # an argument has no operation to mark
    assert MARK in shuffled.owner.attributes
    assert marked_scale(scales["sum"]) is shuffled
    assert MARK not in shuffled.owner.attributes
    assert marked_scale(scales["sum"]) is None
    assert marked_scale(scales["argument"]) is None
