"""Parse errors: each kind of exception becomes one with line, column and a caret."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Input, Span

from weft.errors import LayoutError
from weft.ir.text.diagnostics import parse_error

TEXT = "first line\nsecond line\nthird"


def spanned(message: str, start: int, end: int) -> XdslParseError:
    return XdslParseError(Span(start, end, Input(TEXT, "k.mlir")), message)


@pytest.mark.parametrize(
    ("start", "end", "line", "column", "end_column", "source"),
    [
        (0, 5, 1, 1, 6, "first line"),
        (11, 17, 2, 1, 7, "second line"),
        (18, 22, 2, 8, 12, "second line"),
        (18, 26, 2, 8, 12, "second line"),
        (23, 28, 3, 1, 6, "third"),
        (28, 28, 3, 6, 7, "third"),
        (99, 99, 3, 6, 7, "third"),
    ],
)  # fmt: skip
def test_position_of_a_span(
    start: int, end: int, line: int, column: int, end_column: int, source: str
) -> None:
    error = parse_error(spanned("bad", start, end), TEXT, "k.mlir", 0)
    location = error.location
    assert location is not None
    assert (location.line, location.column, location.end_column) == (line, column, end_column)
    assert (location.file, location.source, error.message) == ("k.mlir", source, "bad")


def test_an_exception_without_a_span_is_where_the_parser_is() -> None:
    error = parse_error(ValueError("no such shape"), TEXT, "k.mlir", 11)
    assert str(error).splitlines()[0] == "k.mlir:2:1: error: no such shape"
    error = parse_error(OverflowError("int too large"), TEXT, "k.mlir", 11)
    assert error.message == "number out of range: int too large"
    error = parse_error(RecursionError("maximum recursion depth"), TEXT, "k.mlir", 11)
    assert error.message == "regions or attributes are nested too deeply"


def test_the_parts_of_an_error_of_weft_are_kept() -> None:
    layout = LayoutError(
        "unknown key", found="ordr", accepted=("order",), hint="did you mean order?"
    )
    error = parse_error(layout, TEXT, "k.mlir", 0)
    assert (error.message, error.found, error.hint) == (
        "unknown key", "ordr", "did you mean order?",
    )  # fmt: skip
    assert tuple(error.accepted) == ("order",)


def test_an_unfinished_message_of_xdsl() -> None:
    error = parse_error(spanned("expected a name after {first_char}", 0, 1), TEXT, "k.mlir", 0)
    assert error.message == "expected a name after f"
