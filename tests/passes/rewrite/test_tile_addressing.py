"""Pointers and masks of a tile, computed by the interpreter."""

from __future__ import annotations

import numpy as np

from weft.interpreter import run
from weft.ir import tt, types
from weft.ir.rewriting import Builder
from weft.ir.text import parse_module
from weft.ir.verifier import verify
from weft.passes.rewrite.tile_addressing import TileAddressing

TEXT = """
tt.func public @k(%p: !tt.ptr<i32>, %row: i64, %column: i64, %rows: i64, %columns: i64, %stride: i64) {
  %one = arith.constant dense<1> : tensor<4x8xi32>
  %unit = arith.constant 1 : i64
  tt.return
}
"""  # noqa: E501


def stored_tile(row: int, column: int, rows: int, columns: int) -> np.ndarray:
    """Store ones to a 4 x 8 tile of a tensor, if it is in bounds; return the 10 x 10 buffer."""
    module = parse_module(TEXT)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    one, unit, last = function.entry.ops
    base, row_offset, column_offset, row_bound, column_bound, stride = function.entry.args
    builder = Builder().before(last)
    tile = TileAddressing(builder, (4, 8))
    indices = [tile.index(row_offset, 0), tile.index(column_offset, 1)]
    assert [types.shape(index.type) for index in indices] == [(4, 1), (1, 8)]
    pointers = tile.pointers(base, [stride, unit.results[0]], indices)
    mask = tile.mask(zip(indices, (row_bound, column_bound), strict=True))
    assert mask is not None
    builder.create(tt.StoreOp, [pointers, one.results[0], mask], [])
    verify(module)
    memory = np.zeros(100, np.int32)
    run(module, "k", (1,), [memory, row, column, rows, columns, 10])
    return memory.reshape(10, 10)


def test_a_tile_inside():
    memory = stored_tile(2, 1, 10, 10)
    assert memory.sum() == 32
    assert (memory[2:6, 1:9] == 1).all()


def test_a_tile_across_both_bounds():
    memory = stored_tile(-1, 5, 2, 9)
    assert memory.sum() == 8
    assert (memory[:2, 5:9] == 1).all()


def test_no_checks_need_no_mask():
    module = parse_module(TEXT)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    last = function.entry.last_op
    assert last is not None
    assert TileAddressing(Builder().before(last), (4, 8)).mask([]) is None
