"""printf formats of `tt.print`."""

from __future__ import annotations

import pytest

from weft.ir import tt
from weft.ir.print_format import print_formats, to_python_format
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

ARGUMENTS = "%i: i32, %l: i64, %b: i8, %f: f32, %h: f8E5M2, %p: !tt.ptr<f32>, %t: tensor<4x64xf32>"


def formats(
    operands: str, types: str, *, prefix: str = " x: ", hexadecimal: bool = False, signed: str = ""
) -> tuple[str, ...]:
    values = f" : {operands} : {types}" if operands else ""
    signs = f"array<i32: {signed}>" if signed else "array<i32>"
    text = (
        f"tt.func @f({ARGUMENTS}) {{\n"
        f'tt.print "{prefix}" {{hex = {str(hexadecimal).lower()}, isSigned = {signs}}}{values}\n'
        "tt.return\n}"
    )
    (op,) = (op for op in walk(parse_module(text)) if isinstance(op, tt.PrintOp))
    return print_formats(op)


@pytest.mark.parametrize(
    ("operand", "type_", "signed", "conversion"),
    [
        ("%i", "i32", "1", "%i"), ("%i", "i32", "0", "%u"), ("%l", "i64", "1", "%lli"),
        ("%l", "i64", "0", "%llu"), ("%b", "i8", "1", "%i"), ("%f", "f32", "0", "%f"),
        ("%h", "f8E5M2", "0", "%u"), ("%p", "!tt.ptr<f32>", "0", "%p"),
    ],
)  # fmt: skip
def test_conversion_of_a_scalar(operand: str, type_: str, signed: str, conversion: str) -> None:
    expected = f"pid (%u, %u, %u) idx () x: {conversion}\n"
    assert formats(operand, type_, signed=signed) == (expected,)


@pytest.mark.parametrize(
    ("operand", "type_", "conversion"),
    [
        ("%i", "i32", "0x%08x"), ("%l", "i64", "0x%016llx"), ("%b", "i8", "0x%02x"),
        ("%f", "f32", "0x%08x"), ("%p", "!tt.ptr<f32>", "%p"),
    ],
)  # fmt: skip
def test_hexadecimal(operand: str, type_: str, conversion: str) -> None:
    (text,) = formats(operand, type_, hexadecimal=True, signed="0")
    assert text.endswith(f"x: {conversion}\n")


def test_indices_are_as_wide_as_the_largest() -> None:
    (text,) = formats("%t", "tensor<4x64xf32>", signed="0")
    assert text == "pid (%u, %u, %u) idx (%1u, %2u) x: %f\n"


def test_several_operands_are_numbered() -> None:
    first, second = formats("%f, %i", "f32, i32", signed="0, 1")
    assert first == "pid (%u, %u, %u) idx () x: (operand 0) %f\n"
    assert second == "pid (%u, %u, %u) idx () x: (operand 1) %i\n"


def test_no_operand() -> None:
    assert formats("", "", prefix=" 100%") == ("pid (%u, %u, %u) 100%%\n",)


def test_formats_of_python() -> None:
    assert to_python_format("%p %lli %016llx %u %%p") == "0x%x %i %016x %u %%p"
    assert to_python_format("%%p %p") % 255 == "%p 0xff"
