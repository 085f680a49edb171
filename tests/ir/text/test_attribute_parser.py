"""Aliases, encodings, numbers and types in the text."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.text import parse_module, print_module

MESSAGES = {
    "tt.splat %x : i32 -> tensor<4xi32, #ttg.blocked<{sizePerThred = [1]}>>": "sizePerThred",
    "tt.splat %x : i32 -> tensor<4xi32, #blokced>": "undefined symbol alias id 'blokced'",
    "tt.splat %x : i32 -> !layuot": "undefined symbol alias id 'layuot'",
    "arith.constant dense<[1, 2]> : tensor<4xi32>": "does not match type ([4])",
    "arith.constant 1 : f32": "unexpected decimal integer literal for a floating point value",
    "arith.constant 1.5 : i32": "floating point value not valid for specified type",
    "ub.poison : i20000000": "integer bitwidth is limited to 16777215 bits",
    "ub.poison : !tt.prt<f32>": "unknown type `prt` in dialect `tt`",
}


@pytest.mark.parametrize("operation", MESSAGES)
def test_errors(operation: str) -> None:
    text = f"tt.func @f(%x: i32) {{\n  %a = {operation}\n  tt.return\n}}\n"
    with pytest.raises(ParseError) as caught:
        parse_module(text)
    assert MESSAGES[operation] in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.line == 2


def test_an_alias_is_defined_at_the_end_of_the_text() -> None:
    text = """\
module attributes {tt.a = #late, tt.b = #late} {
}
  #late = #ttg.slice<{dim = 0, parent = #parent}>
#parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
"""  # noqa: E501
    module = parse_module(text)
    assert module.attributes["tt.a"] is module.attributes["tt.b"]
    assert "dim = 0" in print_module(module)
