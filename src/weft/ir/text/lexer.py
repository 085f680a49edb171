"""Split text into tokens with one regular expression.

xDSL's lexer reads the text character by character. Nearly all of Triton's text is names, numbers
and punctuation, each of which one match recognizes. What the expression does not match (escapes in
strings, metadata, errors) is left to xDSL's lexer.
"""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

# Possessive quantifiers: backtracking into what is skipped would read comments as code and take
# exponential time on blanks.
_SKIP = r"(?:\s++|//[^\n]*+)*+"
_TOKEN = re.compile(
    _SKIP + r"(?:(?P<name>[A-Za-z_][A-Za-z0-9_$.]*)"
    r"|(?P<prefixed>%(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*)"
    r"|[#!^](?!-\})(?:[0-9]+|[A-Za-z$._-][A-Za-z0-9$._-]*))"
    r"|(?P<mark>->|[:,()}\[\]<>=+/*?|]|\{(?!-\#)|-(?!>))"
    r"|(?P<float>[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<integer>0x[0-9a-fA-F]+|[0-9]+)"
    r'|(?P<string>"[^"\\\n\v\f]*"))',
    re.ASCII,
)
_STRING = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
_PREFIXED = {
    "%": MLIRTokenKind.PERCENT_IDENT,
    "#": MLIRTokenKind.HASH_IDENT,
    "!": MLIRTokenKind.EXCLAMATION_IDENT,
    "^": MLIRTokenKind.CARET_IDENT,
}
_MARKS = {kind.value: kind for kind in MLIRTokenKind if isinstance(kind.value, str)}
_LITERALS = {
    "name": MLIRTokenKind.BARE_IDENT,
    "float": MLIRTokenKind.FLOAT_LIT,
    "integer": MLIRTokenKind.INTEGER_LIT,
}


class _TextToken(Token[MLIRTokenKind, str]):
    """A token that stores its text instead of slicing the input on each access."""

    # Overrides a property of xDSL's token.
    text: str = ""  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


class TextLexer(MLIRLexer):
    """The lexer of `TextParser`."""

    def lex(self) -> MLIRToken:
        """Read the next token.

        Raises:
            xdsl.utils.exceptions.ParseError: At a character that begins no token.
        """
        match = _TOKEN.match(self.input.content, self.pos)
        if match is None:
            return super().lex()
        group = match.lastgroup
        assert group is not None
        text = match[group]
        self.pos = end = match.end()
        if group == "mark":
            kind = _MARKS[text]
        elif group == "prefixed":
            kind = _PREFIXED[text[0]]
        elif group == "string":
            literal = StringLiteral(end - len(text), end, self.input)
            return Token(MLIRTokenKind.STRING_LIT, literal)
        else:
            kind = _LITERALS[group]
        token = _TextToken(kind, Span(end - len(text), end, self.input))
        token.text = text
        return token

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        """Read a string, or bytes if its escapes are not valid UTF-8.

        xDSL's expression takes exponential time on an unterminated string.
        """
        match = _STRING.match(self.input.content, start_pos)
        if match is None:
            span = Span(start_pos, self.pos, self.input)
            raise ParseError(span, "expected '\"' in string literal, or a valid escape")
        self.pos = match.end()
        literal = StringLiteral(start_pos, self.pos, self.input)
        try:
            literal.bytes_contents.decode()
        except UnicodeDecodeError:
            return Token(MLIRTokenKind.BYTES_LIT, literal)
        return Token(MLIRTokenKind.STRING_LIT, literal)
