"""What is known of values: operations one by one, loops, calls, hints, and what accesses ask."""

from __future__ import annotations

import pytest

from weft.analysis.axis_info import (
    AxisInfo,
    ModuleAxisInfo,
    axis_info,
    join,
    power_of_two_divisor,
    write_argument_hints,
)
from weft.analysis.axis_info.table import table
from weft.ir import tt
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.text import parse_module, print_module

ANY = 1 << 62
RANGE = 1 << 30
HEAD = (
    "#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}>"
)


def known(body: str, arguments: str = "") -> tuple[ModuleOp, ModuleAxisInfo, SSAValue]:
    """Return a module, what is known of it, and what its function stores."""
    signature = ", ".join(
        ["%n16: i32 {tt.divisibility = 16 : i32}", "%n: i32", "%c: i1", "%out: !tt.ptr<i32>"]
        + ([arguments] if arguments else [])
    )
    module = parse_module(f"{HEAD}\ntt.func public @k({signature}) {{\n{body}\ntt.return\n}}")
    (last,) = [op for op in module.walk() if op.name == "tt.print"]
    return module, axis_info(module), last.operands[0]


def info_of(body: str, value: str, type_: str, arguments: str = "") -> AxisInfo:
    shown = f'tt.print "" {{hex = false, isSigned = array<i32: 1>}} : {value} : {type_}'
    _, info, found = known(f"{body}\n{shown}", arguments)
    return info[found]


R = "%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
V = "tensor<64xi32>"


@pytest.mark.parametrize(
    ("body", "info"),
    [
        ("%x = arith.addi %r, %s", AxisInfo((64,), (16,), (1,))),
        ("%x = arith.subi %r, %s", AxisInfo((64,), (16,), (1,))),
        ("%x = arith.subi %s, %r", AxisInfo((1,), (1,), (1,))),
        ("%x = arith.addi %r, %r", AxisInfo((1,), (2,), (1,))),
        ("%x = arith.muli %r, %s", AxisInfo((1,), (16,), (1,))),
        ("%x = arith.muli %r, %one", AxisInfo((64,), (RANGE,), (1,))),
        ("%x = arith.muli %r, %zero", AxisInfo((1,), (ANY,), (64,), 0)),
        ("%x = arith.muli %four, %four", AxisInfo((1,), (16,), (64,), 16)),
        ("%x = arith.divsi %r, %four", AxisInfo((1,), (1,), (4,))),
        ("%x = arith.divsi %s, %four", AxisInfo((1,), (4,), (64,))),
        ("%x = arith.remsi %r, %four", AxisInfo((4,), (4,), (1,))),
        ("%x = arith.remsi %r, %one", AxisInfo((1,), (ANY,), (64,), 0)),
        ("%x = arith.andi %s, %four", AxisInfo((1,), (1,), (64,))),
        ("%x = arith.shli %s, %four", AxisInfo((1,), (256,), (64,))),
        ("%x = arith.shrui %s, %one", AxisInfo((1,), (8,), (64,))),
        ("%x = arith.shli %r, %zero", AxisInfo((64,), (RANGE,), (1,))),
        ("%x = arith.maxsi %four, %one", AxisInfo((1,), (4,), (64,), 4)),
        ("%x = arith.minui %r, %r", AxisInfo((64,), (RANGE,), (1,))),
    ],
)
def test_arithmetic(body, info):
    given = (
        R
        + f"%s = tt.splat %n16 : i32 -> {V}\n"
        + "".join(
            f"%{name} = arith.constant dense<{value}> : {V}\n"
            for name, value in (("zero", 0), ("one", 1), ("four", 4))
        )
    )
    assert info_of(f"{given}{body} : {V}", "%x", V) == info


@pytest.mark.parametrize(
    ("predicate", "swapped", "groups"),
    [("slt", False, 16), ("sge", False, 16), ("sgt", True, 16), ("slt", True, 1), ("eq", False, 1)],
)
def test_a_comparison_with_a_multiple_comes_in_groups(predicate, swapped, groups):
    a, b = ("%s", "%r") if swapped else ("%r", "%s")
    body = (
        R
        + f"%s = tt.splat %n16 : i32 -> {V}\n%m = arith.cmpi {predicate}, {a}, {b} : {V}\n"
        + f"%x = arith.extui %m : tensor<64xi1> to {V}"
    )
    assert info_of(body, "%x", V).constancy == (groups,)


def test_two_dimensions():
    body = (
        R
        + "%e = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>\n"
        + "%b = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x32xi32>\n"
        + "%x = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xi32> -> tensor<32x64xi32>"
    )
    assert info_of(body, "%b", "tensor<64x32xi32>") == AxisInfo((64, 1), (RANGE, 1), (1, 32))
    assert info_of(body, "%x", "tensor<32x64xi32>") == AxisInfo((1, 64), (1, RANGE), (32, 1))


def test_a_carried_value_is_what_it_starts_as_and_becomes():
    body = """
%c0 = arith.constant 0 : i32
%c8 = arith.constant 8 : i32
%x = scf.for %i = %c0 to %n step %c8 iter_args(%s = %n16) -> (i32)  : i32 {
  %t = arith.addi %s, %i : i32
  scf.yield %t : i32
}"""
    assert info_of(body, "%x", "i32") == AxisInfo((1,), (8,), (1,))


def test_a_while_and_an_if():
    body = """
%w = scf.while (%a = %n16) : (i32) -> i32 {
  scf.condition(%c) %a : i32
} do {
^bb0(%b: i32):
  %d = arith.addi %b, %b : i32
  scf.yield %d : i32
}
%c24 = arith.constant 24 : i32
%x = scf.if %c -> (i32) {
  scf.yield %w : i32
} else {
  scf.yield %c24 : i32
}"""
    assert info_of(body, "%w", "i32").divisibility == (16,)
    assert info_of(body, "%x", "i32") == AxisInfo((1,), (8,), (1,))


def test_branches_between_blocks():
    module = parse_module(
        """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}, %c: i1) -> i32 {
  %c8 = arith.constant 8 : i32
  cf.cond_br %c, ^bb1(%n : i32), ^bb2
^bb1(%a: i32):
  %b = arith.addi %a, %n : i32
  cf.cond_br %c, ^bb1(%b : i32), ^bb2
^bb2:
  tt.return %c8 : i32
}"""
    )
    info = axis_info(module)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    assert info[function.regions[0].blocks[1].args[0]].divisibility == (16,)


def test_equal_addresses_under_one_mask_load_equal_numbers():
    body = (
        R
        + f"%four = arith.constant dense<4> : {V}\n%q = arith.divsi %r, %four : {V}\n"
        + "%ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        + "%p = tt.addptr %ps, %q : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
        + "%m = tt.splat %c : i1 -> tensor<64xi1>\n"
        + "%x = tt.load %p, %m : tensor<64x!tt.ptr<i32>>\n"
        + "%y = tt.load %p, %m, %four : tensor<64x!tt.ptr<i32>>\n"
        + "%z = tt.load %p, %m, %r : tensor<64x!tt.ptr<i32>>"
    )
    assert info_of(body, "%x", V).constancy == (4,)
    assert info_of(body, "%y", V).constancy == (4,)
    assert info_of(body, "%z", V).constancy == (1,)


def test_hints_take_the_place_of_what_was_found():
    hints = (
        "{tt.contiguity = dense<8> : tensor<1xi32>, tt.constancy = dense<2> : tensor<1xi32>, "
        "tt.divisibility = dense<32> : tensor<1xi32>}"
    )
    body = R + f"%s = tt.splat %n : i32 -> {V}\n%x = arith.remsi %r, %s {hints} : {V}"
    assert info_of(body, "%x", V) == AxisInfo((8,), (32,), (2,))
    wrong = body.replace("dense<8> : tensor<1xi32>", "dense<[8, 8]> : tensor<2xi32>")
    assert info_of(wrong, "%x", V).contiguity == (1,)


def test_pointers_of_another_size_do_not_run_on():
    body = (
        R
        + "%ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>\n"
        + "%p = tt.addptr %ps, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>\n"
        + "%x = tt.bitcast %p : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<f32>>\n"
        + "%y = tt.bitcast %p : tensor<64x!tt.ptr<i32>> -> tensor<64x!tt.ptr<i8>>"
    )
    assert info_of(body, "%x", "tensor<64x!tt.ptr<f32>>").contiguity == (64,)
    assert info_of(body, "%y", "tensor<64x!tt.ptr<i8>>").contiguity == (1,)


CALLS = """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  tt.call @f(%n) : (i32) -> ()
  tt.call @f(%c8) : (i32) -> ()
  tt.return
}
tt.func private @f(%x: i32) attributes {noinline = true} {
  %y = arith.addi %x, %x : i32
  tt.call @g(%y) : (i32) -> ()
  tt.return
}
tt.func private @g(%x: i32 {tt.divisibility = 4 : i32}) attributes {noinline = true} {
  tt.return
}
"""


def test_an_argument_is_what_all_calls_pass():
    module = parse_module(CALLS)
    info = axis_info(module)
    arguments = [op.entry.args[0] for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    assert [info[one].divisibility for one in arguments] == [(16,), (8,), (4,)]
    write_argument_hints(info)
    text = print_module(module)
    assert "@f(%arg0: i32 {tt.constancy = 1 : i64, tt.contiguity = 1 : i64" in text
    assert "tt.divisibility = 8 : i64}" in text
    assert "tt.divisibility = 4 : i64}" in text


def test_a_function_that_calls_itself_is_what_its_signature_says():
    text = """
tt.func public @k(%n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = true} {
  tt.call @k(%n) : (i32) -> ()
  tt.return
}"""
    module = parse_module(text)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    assert axis_info(module)[function.entry.args[0]].divisibility == (16,)


ACCESS = (
    "%r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>\n"
    "%s = tt.splat %n16 : i32 -> tensor<1024xi32, #blocked>\n"
    "%ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #blocked>\n"
    "%a = tt.addptr %ps, %r : tensor<1024x!tt.ptr<f16>, #blocked>, tensor<1024xi32, #blocked>\n"
    "%m = arith.cmpi slt, %r, %s : tensor<1024xi32, #blocked>\n"
)


def test_alignment_and_contiguity_along_the_layout():
    argument = "%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}"
    printed = 'tt.print "" {hex = false, isSigned = array<i32: 1>} : '
    _, info, pointers = known(
        ACCESS + printed + "%a : tensor<1024x!tt.ptr<f16>, #blocked>", argument
    )
    assert info.alignment(pointers) == 8  # 16 bytes
    assert info.contiguity(pointers) == 4  # what a thread holds in a row
    _, info, offsets = known(ACCESS + printed + "%r : tensor<1024xi32, #blocked>", argument)
    assert info.contiguity(offsets, element_bits=16) == 4
    _, info, mask = known(ACCESS + printed + "%m : tensor<1024xi1, #blocked>", argument)
    assert info.mask_alignment(mask) == 16
    _, info, scalar = known(ACCESS + printed + "%n : i32", argument)
    assert (info.alignment(scalar), info.contiguity(scalar), info.mask_alignment(scalar)) == (
        1,
    ) * 3


def test_a_mapping_of_values():
    module, info, value = known('tt.print "" {hex = false, isSigned = array<i32: 1>} : %n : i32')
    assert value in info
    assert len(list(info)) == len(info)
    assert axis_info(module)[value] == info[value]


def test_join_cuts_runs():
    a, b = AxisInfo((8,), (16,), (1,), 3), AxisInfo((2,), (4,), (4,), 3)
    assert join(a, b) == AxisInfo((2,), (2,), (1,), 3)
    assert join(a, a) is a
    assert (
        power_of_two_divisor(24),
        power_of_two_divisor(-8),
        power_of_two_divisor(0),
        power_of_two_divisor(1),
    ) == (8, 8, ANY, 1)


def test_the_table_names_values_as_the_text_does():
    module, info, _ = known(
        R + 'tt.print "" {hex = false, isSigned = array<i32: 1>} : %r : tensor<64xi32>'
    )
    lines = table(module, info).splitlines()
    assert lines[0] == "@k"
    assert lines[1].split() == [
        "value",
        "operation",
        "line",
        "type",
        "contiguity",
        "divisibility",
        "constancy",
        "constant",
    ]
    assert lines[2].split() == ["%arg0", "argument", "i32", "1", "16", "1"]
    assert lines[-1].split()[:2] == ["%0", "tt.make_range"]
    assert lines[-1].split()[-4:] == ["64xi32", "64", "any", "1"]
