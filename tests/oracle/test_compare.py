"""The comparison itself, on texts that differ in one known way."""

from __future__ import annotations

import pytest

from tests.oracle.compare import compare, read

TEXT = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32) {
    %c0_i32 = arith.constant 0 : i32
    %0 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %1 = tt.load %0 : tensor<64x!tt.ptr<f32>, #blocked>
    %2 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %4 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %4 : f32
    }) : (tensor<64xf32, #blocked>) -> f32
    %3:2 = scf.for %arg2 = %c0_i32 to %arg1 step %c0_i32 iter_args(%arg3 = %2, %arg4 = %1) -> (f32, tensor<64xf32, #blocked>)  : i32 {
      scf.yield %arg3, %arg4 : f32, tensor<64xf32, #blocked>
    } {tt.num_stages = 2 : i32}
    tt.store %0, %3#1 : tensor<64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
"""  # noqa: E501 - as MLIR prints it


def test_same_text_is_identical():
    result = compare(TEXT, TEXT)
    assert result
    assert result.total == 12
    assert str(result) == "12 of 12 identical"


def test_names_of_values_and_aliases_do_not_count():
    renamed = TEXT.replace("%0", "%ptrs").replace("#blocked", "#blocked7")
    renamed = renamed.replace("%c0_i32", "%zero").replace("%arg3", "%carried")
    assert compare(TEXT, renamed)


def test_every_operand_is_resolved():
    assert all(op >= 0 for item in read(TEXT) for op, _ in item.operands)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("arith.addf", "arith.mulf", "name"),
        ("    tt.store %0, %3#1 : tensor<64x!tt.ptr<f32>, #blocked>\n", "", "name"),
        ("axis = 0 : i32", "axis = 1 : i32", "attribute"),
        ("tt.num_stages = 2", "tt.num_stages = 3", "attribute"),
        ("arith.constant 0", "arith.constant 1", "attribute"),
        ("divisibility = 16", "divisibility = 8", "attribute"),
        ("(tensor<64xf32, #blocked>) -> f32", "(tensor<64xf32, #other>) -> f32", "type"),
        ("constant 0 : i32", "constant 0 : i64", "type"),
        ("addf %arg2, %arg3", "addf %arg3, %arg2", "operand"),
        ("tt.store %0, %3#1", "tt.store %0, %1", "operand"),
        ("to %arg1 step", "to %c0_i32 step", "operand"),
    ],
)
def test_one_change_is_one_difference_of_its_cause(old, new, cause):
    assert old in TEXT
    result = compare(TEXT, TEXT.replace(old, new))
    assert dict(result.by_cause) == {cause: 1}, str(result)
    assert f"1 differ in {cause}" in str(result)


def test_the_encoding_of_an_alias_is_compared():
    result = compare(TEXT, TEXT.replace("sizePerThread = [1]", "sizePerThread = [2]"))
    assert result.by_cause["type"] == result.by_cause.total() > 0


def test_a_line_that_is_no_op_is_an_error():
    with pytest.raises(ValueError, match=r"no op in the line '\?\?'"):
        read("module {\n??\n}")
