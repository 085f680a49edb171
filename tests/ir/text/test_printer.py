"""Printed text: blocks, regions, locations, and text for messages."""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.locations import named, unknown
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.ir.text.printer import print_operation

ENCODING = (
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)


def test_blocks_have_labels_and_list_their_predecessors() -> None:
    text = """\
module {
  tt.func @f(%arg0: i1, %arg1: i32) {
    cf.cond_br %arg0, ^bb1(%arg1 : i32), ^bb2
  ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb1
    cf.cond_br %arg0, ^bb1(%0 : i32), ^bb2
  ^bb2:  // 2 preds: ^bb0, ^bb1
    tt.return
  ^bb3:  // no predecessors
    cf.br ^bb4
  ^bb4:  // pred: ^bb3
    tt.return
  }
}
"""
    assert print_module(parse_module(text)) == text


def test_an_empty_module() -> None:
    assert print_module(ModuleOp([])) == "module {\n}\n"


def test_regions_of_unregistered_operations() -> None:
    text = """\
module {
  "t.outer"() ({
  ^bb0(%arg0: i32):
    "t.inner"(%arg0) {b = 1 : i32} : (i32) -> ()
  }, {
  }) {a, z = "s"} : () -> ()
}
"""
    assert print_module(parse_module(text, allow_unregistered=True)) == text


def test_an_operation_in_a_message_has_no_aliases() -> None:
    module = parse_module(
        f"tt.func @f(%x: tensor<128xf32, {ENCODING}>) {{\n"
        f"%y = arith.addf %x, %x : tensor<128xf32, {ENCODING}>\n"
        f"%z = arith.mulf %y, %x : tensor<128xf32, {ENCODING}>\ntt.return\n}}"
    )
    multiply = next(op for op in walk(module) if op.name == "arith.mulf")
    assert print_operation(multiply) == f"%1 = arith.mulf %0, %arg0 : tensor<128xf32, {ENCODING}>"


def test_a_name_without_a_position_prints_alone() -> None:
    module = parse_module("tt.func @f(%x: i32) {\ntt.return\n}")
    function = next(op for op in walk(module) if isinstance(op, tt.FuncOp))
    function.entry.args[0].location = named("x", unknown)
    printed = print_module(module, locations=True)
    assert '%x: i32 loc("x")' in printed
    assert '("x"(' not in printed


def test_locations_follow_operations_and_arguments() -> None:
    module = parse_module(
        'tt.func @f(%x: i32 loc("k.py":1:1)) {\ntt.return loc("k.py":2:1)\n} loc(unknown)'
    )
    printed = print_module(module, locations=True)
    assert '%x: i32 loc("k.py":1:1)' in printed
    assert "    tt.return loc(#loc" in printed
    assert "loc(" not in print_module(module)
    local = print_module(module, locations=True, local_scope=True)
    assert '    tt.return loc("k.py":2:1)\n' in local
    assert '%x: i32 loc("k.py":1:1)' in local
    assert "#loc" not in local


def test_the_generic_form_sorts_attributes_and_lists_types() -> None:
    module = parse_module(
        "tt.func @f(%x: i32) {\n%y = arith.addi %x, %x {z, a} : i32\ntt.return\n}"
    )
    printed = print_module(module, generic=True)
    line = '%0 = "arith.addi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> {a, z} : '
    assert f"{line}(i32, i32) -> i32\n" in printed


def test_indentation_of_partitions() -> None:
    text = (
        "tt.func @f() {\nttg.warp_specialize()\ndefault {\nttg.warp_yield\n}\n"
        "partition0() num_warps(2) {\nttg.warp_return\n} : () -> ()\ntt.return\n}"
    )
    module = parse_module(text)
    (function,) = (op for op in walk(module) if isinstance(op, tt.FuncOp))
    assert print_operation(function).splitlines()[1:8] == [
        "  ttg.warp_specialize()",
        "  default {",
        "    ttg.warp_yield",
        "  }",
        "  partition0() num_warps(2) {",
        "    ttg.warp_return",
        "  } : () -> ()",
    ]
