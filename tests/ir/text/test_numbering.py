"""Names of values and blocks."""

from __future__ import annotations

import pytest

from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.ir.text.numbering import Names


def names(text: str, *, named: bool = False) -> list[str]:
    """List the names of all values of a module in preorder."""
    module = parse_module(text)
    values = Names(module, named=named).values
    listed: list[str] = []
    for op in walk(module):
        listed += [values[result] for result in op.results]
        listed += [
            values[a] for region in op.regions for block in region.blocks for a in block.args
        ]
    return listed


def function(body: str, arguments: str = "") -> str:
    return f"tt.func @f({arguments}) {{\n{body}\ntt.return\n}}"


def test_results_and_arguments_are_numbered() -> None:
    text = function(
        "%x = arith.addi %a, %b : i32\n%y = arith.addi %x, %x : i32", "%a: i32, %b: i32"
    )
    assert names(text) == ["arg0", "arg1", "0", "1"]


@pytest.mark.parametrize(
    ("constant", "name"),
    [
        ("1 : i32", "c1_i32"), ("-1 : i32", "c-1_i32"), ("7 : index", "c7"), ("true", "true"),
        ("false", "false"), ("1.0 : f32", "cst"), ("dense<1> : tensor<4xi32>", "cst"),
    ],
)  # fmt: skip
def test_constants_are_named_after_their_value(constant: str, name: str) -> None:
    assert names(function(f"%k = arith.constant {constant}")) == [name]


def test_a_name_in_use_gets_a_suffix() -> None:
    constants = [f"%k{n} = arith.constant {n}.0 : f32" for n in range(3)]
    assert names(function("\n".join(constants))) == ["cst", "cst_0", "cst_1"]
    mixed = [*constants[:2], "%i = arith.constant 1 : i32", "%j = arith.constant 1 : i32"]
    assert names(function("\n".join(mixed))) == ["cst", "cst_0", "c1_i32", "c1_i32_1"]


def test_sibling_regions_use_the_same_numbers() -> None:
    body = (
        "%x = arith.addi %a, %a : i32\n"
        "scf.if %c {\n%y = arith.addi %x, %x : i32\n} else {\n"
        "%z = arith.addi %x, %x : i32\n%w = arith.addi %x, %x : i32\n}\n"
        "%v = arith.addi %x, %x : i32"
    )
    # The function's own values are numbered first, then those of each region.
    assert names(function(body, "%a: i32, %c: i1")) == ["arg0", "arg1", "0", "2", "2", "3", "1"]


def test_arguments_of_nested_regions_continue() -> None:
    body = "scf.for %i = %a to %a step %a : i32 {\nscf.for %j = %a to %a step %i : i32 {\n}\n}"
    assert names(function(body, "%a: i32")) == ["arg0", "arg1", "arg2"]


def test_arguments_of_later_blocks_are_numbered_as_values() -> None:
    text = function("cf.br ^bb1(%a : i32)\n^bb1(%b: i32):\n%c = arith.addi %b, %b : i32", "%a: i32")
    assert names(text) == ["arg0", "0", "1"]


def test_results_of_one_operation_share_a_name() -> None:
    body = "%r:2 = scf.if %c -> (i32, i32) {\nscf.yield %a, %a : i32, i32\n} else {\n"
    body += "scf.yield %a, %a : i32, i32\n}"
    assert names(function(body, "%a: i32, %c: i1")) == ["arg0", "arg1", "0#0", "0#1"]


def test_names_in_locations() -> None:
    text = function(
        '%x = arith.addi %a, %a : i32 loc("acc"("k.py":1:1))\n'
        '%y = arith.addi %a, %a : i32 loc(callsite("inner"("k.py":1:1) at "outer"("k.py":2:1)))\n'
        '%z = arith.addi %a, %a : i32 loc(fused[unknown, "acc"("k.py":1:1)])\n'
        '%w = arith.addi %a, %a : i32 loc("k.py":1:1)',
        '%a: i32 loc("x"("k.py":1:1))',
    )
    assert names(text, named=True) == ["x", "acc", "inner", "acc_0", "0"]
    assert names(text) == ["arg0", "0", "1", "2", "3"]


def test_blocks_are_numbered_in_their_region() -> None:
    module = parse_module(function("cf.br ^bb1\n^bb1:\ncf.br ^bb2\n^bb2:"))
    blocks = Names(module).blocks
    assert sorted(blocks.values()) == ["bb0", "bb0", "bb1", "bb2"]
