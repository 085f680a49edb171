"""Tensor constants: splats, nested lists and hexadecimal data."""

from __future__ import annotations

import pytest

from weft.errors import ParseError
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute
from weft.ir.text import parse_module
from weft.ir.text.printer import print_type


def parse(text: str) -> Attribute:
    op = parse_module(f'"t.use"() {{a = {text}}} : () -> ()', allow_unregistered=True)
    first = op.body.block.first_op
    assert first is not None
    return first.attributes["a"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("dense<3> : tensor<64xi32>", None),
        ("dense<true> : tensor<4xi1>", None),
        ("dense<[true, false]> : tensor<2xi1>", None),
        ("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", None),
        ("dense<[[3, 3], [3, 3]]> : tensor<2x2xi32>", "dense<3> : tensor<2x2xi32>"),
        ("dense<[1, 1]> : tensor<2xi64>", "dense<1> : tensor<2xi64>"),
        ("dense<[-1, 255]> : tensor<2xi8>", "dense<-1> : tensor<2xi8>"),
        ("dense<0xFF800000> : tensor<4xf32>", None),
        ("dense<1.0> : tensor<4xf32>", "dense<1.000000e+00> : tensor<4xf32>"),
        ("dense<1> : tensor<4xindex>", None),
        ("dense<[1, -2]> : tensor<2xindex>", None),
        ("dense<[0x3F800000, 2.0]> : tensor<2xf32>", "dense<[1.000000e+00, 2.000000e+00]>"),
        ('dense<"0x0000803F00000040"> : tensor<2xf32>', "dense<[1.000000e+00, 2.000000e+00]>"),
        ('dense<"0x0000803F"> : tensor<64xf32>', "dense<1.000000e+00> : tensor<64xf32>"),
        ('dense<"0x0102"> : tensor<2xi8>', "dense<[1, 2]> : tensor<2xi8>"),
        ("dense<> : tensor<0xi32>", None),
        ("dense<5> : tensor<i32>", None),
    ],
)
def test_values(text: str, printed: str | None) -> None:
    assert print_type(parse(text)).startswith(printed or text)


def test_a_splat_stores_one_value() -> None:
    splat = parse("dense<[2, 2, 2]> : tensor<3xi32>")
    assert isinstance(splat, SplatAttr)
    assert print_type(splat.value) == "2 : i32"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dense<1> : i32", "elements literal must be a shaped type"),
        ("dense<[1, 2]> : tensor<3xi32>", r"literal \(\[2\]\) does not match type \(\[3\]\)"),
        ("dense<[[1], [2, 3]]> : tensor<2x2xi32>", "ranks are not consistent between elements"),
        ("dense<1.5> : tensor<2xi32>", "expected integer elements, but parsed floating-point"),
        (
            "dense<1> : tensor<2xf32>",
            "unexpected decimal integer literal for a floating point value",
        ),
        ("dense<[1.0, -2]> : tensor<2xf32>", "unexpected decimal integer literal"),
        ("dense<true> : tensor<2xf32>", "expected floating point literal"),
        (
            "dense<-0x1> : tensor<2xf32>",
            "hexadecimal float literal should not have a leading minus",
        ),
        ("dense<0x1FFFF> : tensor<2xf16>", "hexadecimal float constant out of range for type"),
        ("dense<true> : tensor<2xi8>", "expected i1 type for 'true' or 'false' values"),
        ("dense<256> : tensor<2xi8>", "integer constant out of range for type"),
        ("dense<128> : tensor<2xsi8>", "integer constant out of range for type"),
        ("dense<-1> : tensor<2xui8>", "expected unsigned integer elements, but parsed negative"),
        (
            "dense<> : tensor<2xi32>",
            r"parsed zero elements, but type \('tensor<2xi32>'\) expected at",
        ),
        ('dense<"0x01"> : tensor<2xi32>', "hex data size is invalid for provided type"),
        ('dense<"zz"> : tensor<2xi32>', "expected string containing hex digits"),
        ('dense<"0x01"> : tensor<2x!tt.ptr<i8>>', "hex data is not supported for type"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse(text)
