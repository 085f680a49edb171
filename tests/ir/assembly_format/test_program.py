"""Formats that parse and print operations."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

ARGUMENTS = (
    "%i: i32, %p: !tt.ptr<f32>, %m: i1, %f: f32, %t: tensor<4x8xf32>, "
    "%a: tensor<16x16xf16>, %c: tensor<16x16xf32>, %u: tensor<16x32xi8>, %v: tensor<32x16xi8>, "
    "%s: tensor<16x2xi8>"
)


def round_trip(text: str) -> str:
    """Parse and verify one operation, and print it with its operands as they are in `ARGUMENTS`."""
    module = parse_module(f"tt.func @f({ARGUMENTS}) {{\n{text}\ntt.return\n}}")
    verify(module)
    printed = print_module(module)
    assert print_module(parse_module(printed)) == printed
    line = printed.splitlines()[2].strip()
    for index, name in reversed(list(enumerate("i p m f t a c u v s".split()))):
        line = line.replace(f"%arg{index}", f"%{name}")
    return line


@pytest.mark.parametrize(
    "text",
    [
        "%0 = tt.load %p : !tt.ptr<f32>",
        "%0 = tt.load %p, %m : !tt.ptr<f32>",
        "%0 = tt.load %p, %m, %f : !tt.ptr<f32>",
        "%0 = tt.load %p cacheModifier = cg : !tt.ptr<f32>",
        "%0 = tt.load %p cacheModifier = cg evictionPolicy = evict_first : !tt.ptr<f32>",
        "%0 = tt.load %p {isVolatile = true} : !tt.ptr<f32>",
        "%0 = tt.get_program_id x : i32",
        "%0 = arith.addi %i, %i overflow<nsw> : i32",
        "%0 = tt.reshape %t allow_reorder : tensor<4x8xf32> -> tensor<32xf32>",
        "%0 = tt.reshape %t allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>",
        "%0 = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>",
        "%0 = tt.dot %a, %a, %c, inputPrecision = tf32 : "
        "tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>",
        "tt.store %p, %f : !tt.ptr<f32>",
        "tt.store %p, %f, %m : !tt.ptr<f32>",
        'tt.assert %m, "text" {a = 1 : i32} : i1',
    ],
)
def test_round_trips(text: str) -> None:
    assert round_trip(text) == text


def test_clauses_are_printed_in_the_order_of_the_format() -> None:
    text = "%0 = tt.load %p evictionPolicy = evict_first cacheModifier = cg : !tt.ptr<f32>"
    expected = "%0 = tt.load %p cacheModifier = cg evictionPolicy = evict_first : !tt.ptr<f32>"
    assert round_trip(text) == expected


def test_defaults_are_not_printed() -> None:
    text = "%0 = tt.load %p cacheModifier = none {isVolatile = false} : !tt.ptr<f32>"
    assert round_trip(text) == "%0 = tt.load %p : !tt.ptr<f32>"


def test_the_dictionary_sets_properties() -> None:
    text = "%0 = tt.load %p {isVolatile = true, note = 1 : i32} : !tt.ptr<f32>"
    module = parse_module(f"tt.func @f({ARGUMENTS}) {{\n{text}\ntt.return\n}}")
    (op,) = (op for op in walk(module) if op.name == "tt.load")
    assert "isVolatile" in op.properties
    assert list(op.attributes) == ["note"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "%0 = tt.load %p cacheModifier = cx : !tt.ptr<f32>",
            "expected CacheModifier to be one of",
        ),
        ("%0 = tt.load %p cacheModifier cg : !tt.ptr<f32>", "expected '='"),
        ("%0 = tt.load %p cacheModifier = : !tt.ptr<f32>", "expected CacheModifier to be one of"),
        ("%0 = tt.load %p", "expected ':'"),
        ("%0 = arith.addi %i : i32", "expected ','"),
        ("%0 = tt.load %p cacheModifier = cg cacheModifier = cg : !tt.ptr<f32>", "expected ':'"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        round_trip(text)
