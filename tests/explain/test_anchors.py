"""The nearest operations that need a layout, above and below a value."""

from __future__ import annotations

import pytest

from tests.explain.modules import module_of, named, operations, required
from weft.explain.anchors import find_anchor_above, find_anchor_below, is_anchor, is_layout_free
from weft.explain.labels import Labels

BODY = """
    %o = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>
    %p0 = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #line>
    %p = tt.addptr %p0, %o : tensor<128x!tt.ptr<i32>, #line>, tensor<128xi32, #line>
    %v = tt.load %p : tensor<128x!tt.ptr<i32>, #line> loc("v"("k.py":3:0))
    %w = arith.addi %v, %o : tensor<128xi32, #line>
    %r = scf.for %i = %n to %n step %n iter_args(%s = %w) -> (tensor<128xi32, #line>)  : i32 {
      %t = arith.muli %s, %s : tensor<128xi32, #line>
      scf.yield %t : tensor<128xi32, #line>
    }
    %u = arith.subi %r, %r : tensor<128xi32, #line> loc("u"("k.py":8:0))
    tt.store %p, %u : tensor<128x!tt.ptr<i32>, #line> loc("k.py":9:0)
    %unused = arith.xori %o, %o : tensor<128xi32, #line>"""


@pytest.fixture(scope="module")
def module():
    return module_of(BODY, "%x: !tt.ptr<i32>, %n: i32")


def result(module, name: str):
    return named(module, name).results[0]


def test_anchor_operations(module):
    assert is_anchor(named(module, "tt.load"))
    assert not is_anchor(named(module, "arith.addi"))
    assert is_layout_free("tt.make_range")
    assert not is_layout_free("tt.load")


@pytest.mark.parametrize("name", ["arith.addi", "scf.for", "arith.muli", "arith.subi"])
def test_above_through_elementwise_operations_and_loops(module, name):
    anchor = required(find_anchor_above(result(module, name), Labels(module)))
    assert (anchor.op, anchor.value, anchor.layout) == ("tt.load", "%v", "#blocked")
    assert required(anchor.location).line == 3


def test_above_without_an_anchor_is_a_free_operation(module):
    anchor = required(find_anchor_above(result(module, "tt.addptr"), Labels(module)))
    assert anchor.op == "tt.splat"
    anchor = required(find_anchor_above(result(module, "arith.xori"), Labels(module)))
    assert anchor.op == "tt.make_range"


@pytest.mark.parametrize("name", ["arith.addi", "scf.for", "arith.muli", "arith.subi"])
def test_below_through_elementwise_operations_and_loops(module, name):
    anchor = required(find_anchor_below(result(module, name), Labels(module)))
    assert (anchor.op, anchor.value, required(anchor.location).line) == ("tt.store", "%u", 9)


def test_no_anchor_below(module):
    assert find_anchor_below(result(module, "arith.xori"), Labels(module)) is None


def test_a_long_chain_ends_the_search():
    lines = ["%0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #line>"]
    lines += [f"%{n + 1} = arith.addi %{n}, %{n} : tensor<128xi32, #line>" for n in range(450)]
    lines += ["%p = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #line>"]
    lines += ["tt.store %p, %450 : tensor<128x!tt.ptr<i32>, #line>"]
    module = module_of("\n".join(lines), "%x: !tt.ptr<i32>")
    labels, sums = Labels(module), operations(module, "arith.addi")
    assert find_anchor_below(sums[0].results[0], labels) is None
    assert required(find_anchor_below(sums[55].results[0], labels)).op == "tt.store"
    assert find_anchor_above(sums[-1].results[0], labels) is None
    assert required(find_anchor_above(sums[300].results[0], labels)).op == "tt.make_range"
