"""Bit enums of arith: `overflow<…>` and `fastmath<…>`."""

from __future__ import annotations

import pytest

from weft.errors import ParseError, VerifyError
from weft.ir import arith
from weft.ir.bit_enums import FlagsAttr
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module
from weft.ir.text.printer import print_type
from weft.ir.verifier import verify


def operation(text: str) -> str:
    """Print the operation of a function of one operation, `%r = …`."""
    module = parse_module(f"tt.func @f(%x: i32, %f: f32) {{\n{text}\ntt.return\n}}")
    verify(module)
    (line,) = (line for line in print_module(module).splitlines() if "%0 = " in line)
    return line.strip().removeprefix("%0 = ")


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        ("", ""), (" overflow<none>", ""), (" overflow<nsw>", " overflow<nsw>"),
        (" overflow<nuw, nsw>", " overflow<nsw, nuw>"),
        (" overflow<nsw, nsw>", " overflow<nsw>"),
    ],
)  # fmt: skip
def test_overflow_flags_are_printed_in_order(flags: str, printed: str) -> None:
    expected = f"arith.addi %arg0, %arg0{printed} : i32"
    assert operation(f"%r = arith.addi %x, %x{flags} : i32") == expected


def test_fastmath_flags_have_no_blank_after_the_comma() -> None:
    text = "%r = arith.addf %f, %f fastmath<contract, nnan> : f32"
    assert operation(text) == "arith.addf %arg1, %arg1 fastmath<nnan,contract> : f32"


def test_the_generic_form_names_the_enum() -> None:
    assert print_type(FlagsAttr(("overflow", "nsw", "nuw"))) == "#arith.overflow<nsw, nuw>"
    assert print_type(FlagsAttr(("fastmath",))) == "#arith.fastmath<none>"


def test_flags_are_parsed_from_the_generic_form() -> None:
    text = (
        'tt.func @f(%x: i32) {\n%r = "arith.addi"(%x, %x) '
        "<{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32\ntt.return\n}"
    )
    (op,) = (op for op in walk(parse_module(text)) if isinstance(op, arith.AddIOp))
    assert op.overflowFlags == FlagsAttr(("overflow", "nuw"))


def test_the_flags_of_another_enum() -> None:
    text = (
        'tt.func @f(%x: i32) {\n%r = "arith.addi"(%x, %x) '
        "<{overflowFlags = #arith.fastmath<nnan>}> : (i32, i32) -> i32\ntt.return\n}"
    )
    with pytest.raises(VerifyError, match=r"expected #arith\.overflow<…>"):
        verify(parse_module(text))


def test_an_unknown_flag() -> None:
    message = "expected fastmath flags to be one of: none, reassoc, nnan"
    with pytest.raises(ParseError, match=message):
        operation("%r = arith.addf %f, %f fastmath<nan> : f32")
