"""Layout encodings as attributes."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.encodings import EncodingAttr, attribute
from weft.ir.text import parse_module, print_module
from weft.ir.text.printer import print_type
from weft.layouts import parse

BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)
SLICE = f"#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>"


def test_equal_encodings_share_an_attribute() -> None:
    encoding = parse(BLOCKED)
    assert attribute(encoding) is attribute(parse(BLOCKED))
    assert isinstance(attribute(encoding), EncodingAttr)
    assert attribute(encoding).data is encoding


def test_an_encoding_is_printed_with_those_nested_in_it() -> None:
    assert print_type(attribute(parse(BLOCKED))) == BLOCKED


def test_a_nested_encoding_is_printed_by_its_alias() -> None:
    blocked = BLOCKED.replace("[1]", "[1, 1]", 1).replace("[32]", "[32, 1]")
    blocked = blocked.replace("[4]", "[4, 1]").replace("[0]", "[1, 0]")
    encoding = f"#ttg.slice<{{dim = 1, parent = {blocked}}}>"
    text = (
        f"tt.func @f(%x: tensor<64xf32, {encoding}>, %y: tensor<64x1xf32, {blocked}>) "
        "{\ntt.return\n}"
    )
    printed = print_module(parse_module(text))
    assert printed.startswith(f"#blocked = {blocked}\n")
    assert "tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>" in printed


def test_an_unknown_encoding() -> None:
    with pytest.raises(ParseError, match="unknown attribute `blokked` in dialect `ttg`"):
        parse_module("tt.func @f(%x: tensor<4xf32, #ttg.blokked<{}>>) {\ntt.return\n}")
