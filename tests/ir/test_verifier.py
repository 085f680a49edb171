"""Each rule that a whole module must keep, broken once."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir import arith, scf, tt, types
from weft.ir.builtin import Block, ModuleOp, Region
from weft.ir.rewriting import Builder
from weft.ir.text import parse_module
from weft.ir.verifier import verify


def fails(text: str) -> str:
    with pytest.raises(VerifyError) as caught:
        verify(parse_module(text))
    return str(caught.value)


def function(body: str, arguments: str = "%x: i32, %f: f32, %t: tensor<4xi32>") -> str:
    return f"module {{\ntt.func public @f({arguments}) {{\n{body}\ntt.return\n}}\n}}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%a = arith.addf %x, %x : i32", "float elements expected"),
        ("%a = arith.addi %f, %f : f32", "integer elements expected"),
        ("%a = arith.extsi %x : i32 to i16", "a wider result expected"),
        ("%a = arith.truncf %f : f32 to f64", "a narrower result expected"),
        ("%a = arith.extsi %x : i32 to tensor<4xi64>", "shapes differ"),
        ("%a = arith.bitcast %x : i32 to i64", "widths differ"),
        ("%a = math.exp %x : i32", "one float type expected"),
        ("%a = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<4xi32>", "do not fit"),
        ("%a = tt.splat %f : f32 -> tensor<4xi32>", "element types differ"),
        ("%a = tt.broadcast %t : tensor<4xi32> -> tensor<8xi32>", "size 1 can grow"),
        (
            "%a = tt.expand_dims %t {axis = 1 : i32} : tensor<4xi32> -> tensor<1x4xi32>",
            "does not give",
        ),
        ("%a = tt.reshape %t : tensor<4xi32> -> tensor<8xi32>", "number of elements differs"),
        (
            "%a = tt.trans %t {order = array<i32: 1, 0>} : tensor<4xi32> -> tensor<4xi32>",
            "no permutation",
        ),
        ("%a = tt.join %t, %t : tensor<4xi32> -> tensor<4x4xi32>", "does not give"),
        (
            '%a = "tt.reduce"(%t) <{axis = 1 : i32}> ({ ^bb0(%p: i32, %q: i32): '
            "tt.reduce.return %p : i32 }) : (tensor<4xi32>) -> i32",
            "axis 1 is outside",
        ),
        (
            '%a = "tt.reduce"(%t) <{axis = 0 : i32}> ({ ^bb0(%p: i32): '
            "tt.reduce.return %p : i32 }) : (tensor<4xi32>) -> i32",
            "arguments must be",
        ),
    ],
)
def test_operation_rules(body: str, message: str) -> None:
    assert message in fails(function(body))


def test_condition_that_is_no_boolean() -> None:
    text = function('"scf.if"(%x) ({ scf.yield }, {}) : (i32) -> ()')
    assert "an i1 condition expected" in fails(text)


def test_loop_that_yields_another_type() -> None:
    text = function(
        "%r = scf.for %i = %x to %x step %x iter_args(%a = %x) -> (i32) : i32 {\n"
        "scf.yield %f : f32\n}"
    )
    assert "scf.yield gives (f32), the results are (i32)" in fails(text)


def test_dot_of_shapes_that_do_not_fit() -> None:
    text = function(
        "%d = tt.dot %a, %a, %c : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x16xf32>",
        "%a: tensor<16x32xf16>, %c: tensor<16x16xf32>",
    )
    assert "does not give tensor<16x16xf32>" in fails(text)


def test_return_of_another_type() -> None:
    text = "module {\ntt.func @f(%x: i32) -> f32 {\ntt.return %x : i32\n}\n}"
    assert "tt.return gives (i32)" in fails(text)


def made() -> tuple[ModuleOp, Builder, Block]:
    module = ModuleOp([])
    function_op = tt.FuncOp.of("f", [types.i32], [])
    module.body.block.add_op(function_op)
    return module, Builder().at_end(function_op.entry), function_op.entry


def test_use_before_definition_in_a_block() -> None:
    module, builder, entry = made()
    late = builder.constant(1, types.i32)
    builder.create(tt.ReturnOp)
    builder.at_start(entry).create(arith.AddIOp, [late, late], [types.i32])
    with pytest.raises(VerifyError, match="uses the result of arith\\.constant before"):
        verify(module)


def test_use_of_a_value_from_inside_a_region() -> None:
    module, builder, _ = made()
    condition = builder.constant(True, types.i1)
    inner = Block()
    value = Builder().at_end(inner).constant(1, types.i32)
    Builder().at_end(inner).create(scf.YieldOp)
    builder.create(scf.IfOp, [condition], regions=[Region(inner), Region()])
    builder.create(arith.AddIOp, [value, value], [types.i32])
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="out of its scope"):
        verify(module)


def test_use_in_a_block_that_is_not_dominated() -> None:
    text = (
        "module {\ntt.func @f(%c: i1, %x: i32) {\n"
        "cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n%a = arith.addi %x, %x : i32\ncf.br ^bb2\n"
        "^bb2:\n%b = arith.addi %a, %a : i32\ntt.return\n}\n}"
    )
    assert "before it is defined, or out of its scope" in fails(text)


def test_terminator_in_the_middle() -> None:
    module, builder, _ = made()
    builder.create(tt.ReturnOp)
    builder.create(tt.ReturnOp)
    with pytest.raises(VerifyError, match="must be the last operation"):
        verify(module)


def test_a_bound_named_as_the_loop_s_own_counter() -> None:
    text = function("scf.for %i = %x to %i step %x : i32 {\nscf.yield\n}")
    assert "before it is defined, or out of its scope" in fails(text)
