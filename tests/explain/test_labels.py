"""Names of values, types and layouts."""

from __future__ import annotations

import pytest

from tests.explain.modules import module_of, named, operations, required
from weft.explain.labels import Labels, element_bits, loop_depth, shape_text, tensor_bytes
from weft.layouts import parse

BODY = """
    %a = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line> loc("a"("k.py":3:0))
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #line> loc("k.py":4:0)
    %0 = ttg.convert_layout %a : tensor<128xi32, #line> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #row}>> loc(unknown)
    %r = scf.for %i = %n to %n step %n iter_args(%s = %a) -> (tensor<128xi32, #line>)  : i32 {
      scf.for %j = %n to %n step %n  : i32 {
        %1 = arith.addi %a, %a : tensor<128xi32, #line>
      }
      scf.yield %s : tensor<128xi32, #line>
    } loc("k.py":6:0)"""  # noqa: E501


@pytest.fixture(scope="module")
def module():
    return module_of(BODY, "%x: !tt.ptr<f16>, %n: i32")


@pytest.fixture(scope="module")
def labels(module):
    return Labels(module)


def test_values(module, labels):
    assert labels.value(named(module, "tt.make_range").results[0]) == "%a"
    assert labels.defining_op(named(module, "tt.make_range").results[0]) == "tt.make_range"
    outer = operations(module, "scf.for")[0]
    carried = outer.regions[0].blocks[0].args[1]
    assert labels.defining_op(carried) == "scf.for"
    assert labels.line(carried).line == 6
    assert labels.line(named(module, "tt.splat")).line == 4
    assert labels.line(named(module, "tt.splat").results[0]).line == 4


def test_an_operation_without_a_location_has_the_line_of_its_operand(module, labels):
    assert labels.line(named(module, "ttg.convert_layout")).line == 3


def test_layouts(module, labels):
    convert = named(module, "ttg.convert_layout")
    assert labels.layout(convert.operands[0].type) == "#blocked"
    assert labels.layout(convert.results[0].type) == "slice dim 1 of #blocked1"
    assert labels.layout(named(module, "tt.splat").operands[0].type) == "no layout"


def test_a_field_without_its_name(labels):
    encoding = parse(
        "#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
        "warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>"
    )
    name = labels.layout_names(encoding)
    assert name.startswith("dot_op 1 of nvidia_mma versionMajor 2")
    assert name.endswith("kWidth 2")


def test_sizes_of_types(module):
    pointers = named(module, "tt.splat").results[0].type
    integers = named(module, "tt.make_range").results[0].type
    assert (shape_text(pointers), shape_text(integers)) == ("128x!tt.ptr<f16>", "128xi32")
    assert (element_bits(pointers), element_bits(integers)) == (64, 32)
    assert (tensor_bytes(pointers), tensor_bytes(integers)) == (1024, 512)


def test_a_boolean_takes_a_byte():
    module = module_of("%c = arith.constant dense<true> : tensor<64xi1, #line>")
    type_ = named(module, "arith.constant").results[0].type
    assert (element_bits(type_), tensor_bytes(type_)) == (1, 64)


def test_loop_depth(module):
    assert loop_depth(named(module, "tt.splat")) == 0
    assert loop_depth(named(module, "arith.addi")) == 2
    assert loop_depth(required(named(module, "arith.addi").parent_op())) == 1
