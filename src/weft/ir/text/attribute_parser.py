"""Parse attributes and types: aliases, encodings, numbers, and the types of all dialects.

- Triton defines location aliases at the end of a file, so every `#name = …` line is located first
  and parsed when it is first used.
- `weft.layouts` parses encodings (`#ttg.blocked<{…}>`); `dense<x>` of one value is a splat.
- The same type occurs hundreds of times in a module; each spelling is parsed once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NoReturn, overload

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRTokenKind,
    PunctuationSpelling,
)

from weft.errors import did_you_mean
from weft.ir import types
from weft.ir.bit_enums import FLAGS, parse_flags
from weft.ir.context import context, names_of
from weft.ir.encodings import EncodingAttr, verify_attribute
from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.text.legacy_names import modern_name
from weft.ir.text.lexer import TextLexer
from weft.ir.text.location_parser import LocationParser
from weft.layouts import ENCODINGS, Encoding
from weft.layouts.legacy_encodings import DIALECTS as LEGACY_DIALECTS
from weft.layouts.legacy_encodings import NAMES as LEGACY_ENCODINGS
from weft.layouts.parser import parse_prefix

__all__ = ["AttributeParser"]

_ALIAS = re.compile(r"^[ \t]*([#!][\w$.-]+)[ \t]*=[ \t]*", re.MULTILINE)
_NESTED = r"<(?:[^<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)*>"
_SPELLED_TYPE = re.compile(rf"(?:tensor|!tt\.ptr|!tt\.tensordesc|!ttg\.memdesc){_NESTED}")
_SCALARS: dict[str, TypeAttribute] = {
    str(type_): type_
    for type_ in (
        types.i1,
        types.i8,
        types.i16,
        types.i32,
        types.i64,
        types.f16,
        types.bf16,
        types.f32,
        types.f64,
        types.index,
    )
}
# MLIR's limit; without one, computing the range of a type could exhaust the memory.
_MAX_WIDTH = 2**24 - 1
_WIDE_INTEGER = re.compile(r"[su]?i0*([1-9][0-9]{7,})")
_DECIMAL = re.compile(r"-?\s*[0-9]+\s*:")
_ENCODING_NAMES = {f"#{cls.dialect}.{cls.mnemonic}" for cls in ENCODINGS.values()}


class _EncodingAliases(Mapping[str, Encoding]):
    """The aliases of a text that name encodings, parsed on demand."""

    def __init__(self, parser: AttributeParser) -> None:
        self._parser = parser

    def __getitem__(self, name: str) -> Encoding:
        attribute = self._parser.alias(name)
        if not isinstance(attribute, EncodingAttr):
            raise KeyError(name)
        return attribute.data

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and isinstance(self._parser.alias(name), EncodingAttr)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._parser.attribute_aliases if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class AttributeParser(LocationParser):
    """The part of the parser that reads attributes and types."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(context(), "", name)
        self._parser_state = ParserState(TextLexer(Input(text, name)))
        self._alias_at = {match.group(1): match.end() for match in _ALIAS.finditer(text)}
        self._types: dict[str, TypeAttribute | None] = {}
        self._encodings = _EncodingAliases(self)

    # Shortcuts of methods that every operation calls many times.

    def parse_punctuation(
        self, punctuation: PunctuationSpelling, context_msg: str = ""
    ) -> PunctuationSpelling:
        if self._parser_state.current_token.kind is KIND_BY_PUNCTUATION_SPELLING[punctuation]:
            self._parser_state.current_token = self._parser_state.lexer.lex()
            return punctuation
        return super().parse_punctuation(punctuation, context_msg)

    def parse_optional_punctuation(
        self, punctuation: PunctuationSpelling
    ) -> PunctuationSpelling | None:
        state = self._parser_state
        if state.current_token.kind is not KIND_BY_PUNCTUATION_SPELLING[punctuation]:
            return None
        state.current_token = state.lexer.lex()
        return punctuation

    # Aliases are parsed on first use, wherever they are defined.

    def _parse_alias_def(self) -> None:
        kinds = [MLIRTokenKind.EXCLAMATION_IDENT, MLIRTokenKind.HASH_IDENT]
        token = self._parse_optional_token_in(kinds)
        if token is None:
            self.raise_error("expected alias name")
        if token.text in self.attribute_aliases:
            self.parse_punctuation("=")
            self.parse_attribute() if token.text[0] == "#" else self.parse_type()
            return
        self.parse_punctuation("=")
        self.attribute_aliases[token.text] = (
            self.parse_attribute() if token.text[0] == "#" else self.parse_type()
        )

    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[False]
    ) -> Attribute: ...
    @overload
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: Literal[True]
    ) -> TypeAttribute: ...
    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Attribute:
        opens = self._current_token.kind is MLIRTokenKind.LESS
        if "." not in attr_or_dialect_name and not opens:
            alias = f"{'!' if is_type else '#'}{attr_or_dialect_name}"
            known = {*self._alias_at, *self.attribute_aliases}
            self._read_alias(alias)
            if alias not in self.attribute_aliases:
                self._raise_unknown(
                    f"undefined symbol alias id '{attr_or_dialect_name}'", alias, known
                )
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)

    def alias(self, name: str) -> Attribute | None:
        """Get the attribute that an alias names, None if the text does not define it."""
        self._read_alias(name)
        return self.attribute_aliases.get(name)

    def _read_alias(self, name: str) -> None:
        at = self._alias_at.pop(name, None)
        if at is None or name in self.attribute_aliases:
            return
        # Parse at the definition, then continue where the parser was.
        state = self._parser_state
        resume = state.lexer.pos, state.current_token
        self._resume_from(at)
        self.attribute_aliases[name] = (
            self.parse_attribute() if name[0] == "#" else self.parse_type()
        )
        state.lexer.pos, state.current_token = resume

    # Attributes that xDSL does not have, or parses differently.

    def parse_optional_attribute(self) -> Attribute | None:
        token = self._current_token
        if token.kind is MLIRTokenKind.HASH_IDENT and _is_encoding(token.text):
            lexer = self.lexer
            content = lexer.input.content
            encoding, end = parse_prefix(content, token.span.start, self._encodings)
            verify_attribute(encoding)
            self._resume_from(end)
            return encoding_attribute(encoding)
        return super().parse_optional_attribute()

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> ParametrizedAttribute | Data[object]:
        attr_name = modern_name(attr_name)
        dialect, _, mnemonic = attr_name.partition(".")
        if not is_type and dialect == "arith" and mnemonic in FLAGS:
            return parse_flags(self, mnemonic)
        if mnemonic and not is_opaque:
            names = names_of(is_type)
            if attr_name not in names:
                sign, what = ("!", "type") if is_type else ("#", "attribute")
                known = {f"{sign}{name}" for name in names}
                if not is_type:
                    known |= _ENCODING_NAMES
                self._raise_unknown(
                    f"unknown {what} `{mnemonic}` in dialect `{dialect}`",
                    f"{sign}{attr_name}",
                    known,
                )
        return super()._parse_dialect_type_or_attribute_body(
            attr_name, is_type, is_opaque, starting_opaque_pos
        )

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        token = self._current_token
        try:
            number = super().parse_optional_builtin_int_or_float_attr()
        except OverflowError:
            self.raise_error("number out of range of its type", token.span)
        except XdslParseError as error:
            if "not valid for integer type" not in error.msg:
                raise
            self.raise_error("floating point value not valid for specified type", token.span)
        if isinstance(number, FloatAttr):
            start, end = token.span.start, self._current_token.span.start
            if _DECIMAL.match(self.lexer.input.content, start, end) is not None:
                message = "unexpected decimal integer literal for a floating point value"
                self.raise_error(message, token.span)
        return number

    # Each spelling of a type is parsed once.

    def parse_optional_type(self) -> TypeAttribute | None:
        token = self._current_token
        if token.kind is MLIRTokenKind.BARE_IDENT:
            scalar = _SCALARS.get(token.text)
            if scalar is not None:
                self._parser_state.current_token = self._parser_state.lexer.lex()
                return scalar
        if token.kind is MLIRTokenKind.EXCLAMATION_IDENT or token.text == "tensor":
            lexer = self.lexer
            # The key is the spelling: an alias in it names the same attribute in the whole text.
            match = _SPELLED_TYPE.match(lexer.input.content, token.span.start)
            if match is not None:
                known = self._types.get(match.group())
                if known is None:
                    known = self._types[match.group()] = super().parse_optional_type()
                else:
                    lexer.pos = match.end()
                    self._parser_state.current_token = lexer.lex()
                return known
        return super().parse_optional_type()

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        token = self._current_token
        wide = _WIDE_INTEGER.fullmatch(token.text)
        if wide is not None and (len(wide[1]) > 8 or int(wide[1]) > _MAX_WIDTH):
            self.raise_error(f"integer bitwidth is limited to {_MAX_WIDTH} bits", token.span)
        return super()._parse_optional_integer_or_float_type()

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        name, attribute = super()._parse_attribute_entry()
        return modern_name(name), attribute

    def _raise_unknown(self, message: str, name: str, known: Iterable[str]) -> NoReturn:
        """Raise an error about the name that was just parsed."""
        start = self.lexer.input.content.rfind(name, 0, self._current_token.span.start)
        span = Span(start, start + len(name), self.lexer.input)
        hint = did_you_mean(name, known)
        self.raise_error(f"{message}{f' ({hint})' if hint else ''}", span)


def _is_encoding(name: str) -> bool:
    """Check whether a name such as `#ttg.blocked` is that of an encoding."""
    if name in _ENCODING_NAMES:
        return True
    dialect, _, mnemonic = name[1:].partition(".")
    return dialect in LEGACY_DIALECTS and (
        mnemonic in LEGACY_ENCODINGS or f"#{LEGACY_DIALECTS[dialect]}.{mnemonic}" in _ENCODING_NAMES
    )
