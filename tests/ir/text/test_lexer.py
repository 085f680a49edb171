"""Tokens: those of one regular expression are the tokens of xDSL's lexer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from tests.ir.dialect_files import MODULES
from weft.ir.text.lexer import TextLexer

Tokens = list[tuple[MLIRTokenKind, str, int, int]]


def tokens(text: str, lexer_class: type[MLIRLexer] = TextLexer) -> Tokens:
    lexer = lexer_class(Input(text, "<test>"))
    result: Tokens = []
    while (token := lexer.lex()).kind is not MLIRTokenKind.EOF:
        result.append((token.kind, token.text, token.span.start, token.span.end))
    return result


@pytest.mark.parametrize("name", MODULES)
def test_tokens_of_modules(name: str) -> None:
    assert tokens(MODULES[name]) == tokens(MODULES[name], MLIRLexer)


FRAGMENTS = (
    "%0", "%abc", "%a.b-c$", "#loc3", "!tt.ptr", "^bb1", "@f", "tt.load", "_x", "->", "-", ":",
    "::", "(", ")", "{", "}", "[", "]", "<", ">", "=", "+", "/", "*", "?", "|", ",", "0x1F", "12",
    "1.5", "1.5e-3", "2.", '"a b"', '"a\\n"', '"\\FF"', "// comment\n", " ", "\n", "{-#", "#-}",
)  # fmt: skip


def tokens_or_error(text: str, lexer_class: type[MLIRLexer]) -> Tokens | str:
    try:
        return tokens(text, lexer_class)
    except ParseError:
        return "error"


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12))
def test_tokens_of_fragments(parts: list[str]) -> None:
    text = "".join(parts)
    assert tokens_or_error(text, TextLexer) == tokens_or_error(text, MLIRLexer)


def test_a_comment_hides_tokens() -> None:
    kinds = [kind for kind, *_ in tokens("a // b %c\n%d")]
    assert kinds == [MLIRTokenKind.BARE_IDENT, MLIRTokenKind.PERCENT_IDENT]


def test_strings_and_bytes() -> None:
    (string,) = tokens('"a\\22b"')
    (raw,) = tokens('"\\FF\\FE"')
    assert string[0] is MLIRTokenKind.STRING_LIT
    assert raw[0] is MLIRTokenKind.BYTES_LIT


@pytest.mark.parametrize("text", ['"abc', '"a\\q"', '"a\nb"', '"' + "\\41" * 5000])
def test_an_unterminated_string_is_an_error_at_once(text: str) -> None:
    with pytest.raises(ParseError, match="in string literal"):
        tokens(text)
