"""The dominance of definitions over uses, and terminators."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir import arith, cf, scf, tt, types
from weft.ir.builtin import Block, ModuleOp, Region
from weft.ir.rewriting import Builder
from weft.ir.text import parse_module
from weft.ir.verifier import verify, violations


def error_of(text: str) -> str:
    with pytest.raises(VerifyError) as caught:
        verify(parse_module(text, "f.mlir"))
    return str(caught.value)


def empty_function() -> tuple[ModuleOp, Builder, Block]:
    module = ModuleOp([])
    function = tt.FuncOp.of("f", [types.i32], [])
    module.body.block.add_op(function)
    return module, Builder().at_end(function.entry), function.entry


def test_an_error_has_location_operation_and_rule() -> None:
    text = "module {\ntt.func @f(%x: i32) {\n%a = arith.addf %x, %x : i32\ntt.return\n}\n}"
    assert error_of(text).splitlines() == [
        "f.mlir:3:6: error: 'arith.addf' op operand #0 must be floating-point-like, but got 'i32'",
        "  found: %0 = arith.addf %arg0, %arg0 : i32",
    ]


def test_each_function_has_one_violation() -> None:
    """As MLIR, which verifies functions separately: operations first, then their blocks."""
    functions = "\n".join(
        (
            "tt.func @a(%x: i32) {",
            "%a = arith.addf %x, %x : i32",
            "%b = arith.addf %x, %x : i32",
            "tt.return",
            "}",
            "tt.func @b(%x: i32) {",
            "%a = arith.addi %x, %x : i32",
            "}",
            "tt.func @c(%x: i32) {",
            "tt.return",
            "}",
            "tt.func @d(%x: i32) {",
            "%a = arith.addf %x, %x : i32",
            "tt.return",
            "}",
        )
    )
    errors = list(violations(parse_module(functions, "f.mlir")))
    lines = [error.location.line for error in errors if error.location is not None]
    assert sorted(lines) == [2, 7, 13]
    messages = [error.message for error in errors]
    assert "block with no terminator" in messages[lines.index(7)]


def test_the_location_of_an_operation_without_one_is_that_of_its_parent() -> None:
    module = parse_module("module {\ntt.func @f(%x: i32) {\ntt.return\n}\n}", "f.mlir")
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    wrong = arith.AddFOp.create(operands=[function.entry.args[0]] * 2, result_types=[types.i32])
    function.entry.insert_op_before(wrong, function.entry.last_op)  # pyright: ignore
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert str(caught.value.location) == "f.mlir:2:1"


def test_an_operation_that_cannot_be_printed_is_named() -> None:
    module, builder, entry = empty_function()
    builder.create(arith.CmpIOp, [entry.args[0]] * 2, [types.i1])
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert caught.value.found == "arith.cmpi"


def test_use_before_definition_in_a_block() -> None:
    module, builder, entry = empty_function()
    late = builder.constant(1, types.i32)
    builder.create(tt.ReturnOp)
    builder.at_start(entry).create(arith.AddIOp, [late, late], [types.i32])
    message = r"operand #0 does not dominate this use: the result of arith\.constant"
    with pytest.raises(VerifyError, match=message):
        verify(module)


def test_use_of_a_value_from_inside_a_region() -> None:
    module, builder, entry = empty_function()
    condition = builder.constant(True, types.i1)
    inner = Block()
    value = Builder().at_end(inner).constant(1, types.i32)
    Builder().at_end(inner).create(scf.YieldOp)
    builder.create(scf.IfOp, [condition], regions=[Region(inner), Region()])
    builder.create(arith.AddIOp, [entry.args[0], value], [types.i32])
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="operand #1 does not dominate this use"):
        verify(module)


def test_a_function_cannot_use_values_of_another() -> None:
    module, builder, entry = empty_function()
    builder.create(tt.ReturnOp)
    other = tt.FuncOp.of("g", [types.i32], [])
    module.body.block.add_op(other)
    inner = Builder().at_end(other.entry)
    inner.create(arith.AddIOp, [entry.args[0], other.entry.args[0]], [types.i32])
    inner.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="out of its IsolatedFromAbove parent"):
        verify(module)


def test_use_in_a_block_that_is_not_dominated() -> None:
    text = (
        "module {\ntt.func @f(%c: i1, %x: i32) {\n"
        "cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n%a = arith.addi %x, %x : i32\ncf.br ^bb2\n"
        "^bb2:\n%b = arith.addi %a, %a : i32\ntt.return\n}\n}"
    )
    assert "operand #0 does not dominate this use" in error_of(text)


def test_use_in_a_block_that_is_dominated() -> None:
    text = (
        "module {\ntt.func @f(%c: i1, %x: i32) {\n"
        "%a = arith.addi %x, %x : i32\n"
        "cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb2:\n%b = arith.addi %a, %a : i32\ncf.br ^bb3(%b : i32)\n"
        "^bb1:\n%d = arith.addi %a, %a : i32\ncf.br ^bb3(%d : i32)\n"
        "^bb3(%e: i32):\n%g = arith.addi %a, %e : i32\ntt.return\n}\n}"
    )
    verify(parse_module(text))


def test_unreachable_blocks_may_use_every_value() -> None:
    text = (
        "module {\ntt.func @f(%c: i1, %x: i32) {\n"
        "cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n%a = arith.addi %x, %x : i32\ntt.return\n"
        "^bb2:\ntt.return\n"
        "^bb3:\n%b = arith.addi %a, %d : i32\ncf.br ^bb4\n"
        "^bb4:\n%d = arith.addi %b, %b : i32\ncf.br ^bb3\n}\n}"
    )
    verify(parse_module(text))


def test_terminator_in_the_middle() -> None:
    module, builder, _ = empty_function()
    builder.create(tt.ReturnOp)
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="must be the last operation in its parent block"):
        verify(module)


def test_a_bound_named_as_the_induction_variable() -> None:
    text = (
        "module {\ntt.func @f(%x: i32) {\n"
        "scf.for %i = %x to %i step %x : i32 {\nscf.yield\n}\ntt.return\n}\n}"
    )
    assert "operand #1 does not dominate this use" in error_of(text)


@pytest.mark.parametrize("branches", [True, False], ids=["reachable", "unreachable"])
def test_every_block_is_verified(branches: bool) -> None:
    module, builder, entry = empty_function()
    function = entry.parent_op()
    assert isinstance(function, tt.FuncOp)
    last = Block()
    function.body.add_block(last)
    condition = builder.constant(True, types.i1)
    inner = Block()
    value = Builder().at_end(inner).constant(1, types.i32)
    Builder().at_end(inner).create(scf.YieldOp)
    if branches:
        builder.create(cf.BranchOp, successors=[last])
    else:
        builder.create(tt.ReturnOp)
    builder.at_end(last).create(scf.IfOp, [condition], regions=[Region(inner), Region()])
    builder.create(arith.AddIOp, [entry.args[0], value], [types.i32])
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="operand #1 does not dominate this use"):
        verify(module)
