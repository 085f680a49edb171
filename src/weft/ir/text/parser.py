"""Parse IR text: xDSL's parser, extended for Triton's text.

- Triton defines location aliases at the end of a file, so every `#name = …` line is located first
  and parsed when it is first used.
- `weft.layouts` parses encodings (`#ttg.blocked<{…}>`); `dense<x>` of one value is a splat.
- Names of Triton before 3.2 are read as today's: `triton_gpu.local_load` is `ttg.local_load`.
- The same type occurs hundreds of times in a module; each spelling is parsed once.
- Every error becomes a `weft.errors.ParseError` with line, column and the text of the line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NoReturn, overload

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
)
from xdsl.ir import (
    Attribute,
    AttributeInvT,
    Block,
    Data,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRTokenKind,
    PunctuationSpelling,
)

from weft.errors import ParseError, did_you_mean
from weft.ir import types
from weft.ir.bit_enums import FLAGS, parse_flags
from weft.ir.context import context, names_of, operations, unregistered
from weft.ir.encodings import EncodingAttr, verify_attribute
from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.locations import LocationAttr, file
from weft.ir.operation import Op
from weft.ir.text.diagnostics import PARSE_EXCEPTIONS, parse_error
from weft.ir.text.legacy_names import modern_name
from weft.ir.text.lexer import TextLexer
from weft.ir.text.location_parser import LocationParser
from weft.ir.value_names import set_name_hint
from weft.layouts import ENCODINGS, Encoding
from weft.layouts.legacy_encodings import DIALECTS as LEGACY_DIALECTS
from weft.layouts.legacy_encodings import NAMES as LEGACY_ENCODINGS
from weft.layouts.parser import parse_prefix

_ALIAS = re.compile(r"^([#!][\w$.-]+)[ \t]*=[ \t]*", re.MULTILINE)
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
_RESULTS = re.compile(r"(?:%[\w$.-]+|:\s*\d+|[,=]|\s++|//[^\n]*+)*+")
# MLIR's limit; without one, computing the range of a type could exhaust the memory.
_MAX_WIDTH = 2**24 - 1
_WIDE_INTEGER = re.compile(r"[su]?i0*([1-9][0-9]{7,})")
_TYPE_MISMATCH = re.compile(
    r"operand is used with type (.*), but has been previously used or defined with type (.*)",
    re.DOTALL,
)
_DECIMAL = re.compile(r"-?\s*[0-9]+\s*:")
_NEWLINE = re.compile(r"\n")


_ENCODING_NAMES = {f"#{cls.dialect}.{cls.mnemonic}" for cls in ENCODINGS.values()}


class _EncodingAliases(Mapping[str, Encoding]):
    """The aliases of a text that name encodings, parsed on demand."""

    def __init__(self, parser: TextParser) -> None:
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


class TextParser(LocationParser):
    """The parser of `parse_module`, which calls the `parse` methods of operations."""

    def __init__(self, text: str, name: str, *, allow_unregistered: bool = False) -> None:
        super().__init__(context(), "", name)
        self._allow_unregistered = allow_unregistered
        self._parser_state = ParserState(TextLexer(Input(text, name)))
        self._alias_at = {match.group(1): match.end() for match in _ALIAS.finditer(text)}
        self._types: dict[str, TypeAttribute | None] = {}
        self._encodings = _EncodingAliases(self)
        self._lines = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        self._names: list[int] = []
        self._first_use: dict[str, Span] = {}
        self._definitions: dict[str, Span] = {}

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        parsed: list[Operation] = []
        while (kind := self._current_token.kind) is not MLIRTokenKind.EOF:
            if kind in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
                self._parse_alias_def()
            elif kind is MLIRTokenKind.FILE_METADATA_BEGIN:
                self._parse_file_metadata_dictionary()
            elif (op := self.parse_optional_operation()) is not None:
                parsed.append(op)
            else:
                self.raise_error("expected operation name in quotes")
        undefined = next(iter(self.forward_ssa_references), None)
        if undefined is not None:
            span = self._first_use[undefined]
            self.raise_error(f"use of undeclared SSA value name %{undefined}", span)
        if len(parsed) == 1 and isinstance(parsed[0], ModuleOp):
            return parsed[0]
        return ModuleOp(parsed)

    def parse_operation(self) -> Operation:
        match = _RESULTS.match(self.lexer.input.content, self._current_token.span.start)
        self._names.append(match.end() if match is not None else self.pos)
        op = super().parse_operation()
        start = self._names.pop()
        if op.location is UNKNOWN_LOC:
            # As in MLIR, the location defaults to the position of the operation in the text.
            op.location = self._position(start)
        return op

    def parse_optional_region(
        self, arguments: Iterable[Parser.Argument] | None = None
    ) -> Region | None:
        if arguments is not None:
            arguments = list(arguments)
            for argument in arguments:
                if argument.location is None:
                    argument.location = self._position(argument.name.start)
        return super().parse_optional_region(arguments)

    def _position(self, start: int) -> LocationAttr:
        """Build the location of a character of the text."""
        line = bisect_right(self._lines, start)
        return file(self.lexer.input.name, line, start - self._lines[line - 1] + 1)

    def _parse_block(self) -> Block:
        token = self._current_token
        if token.kind is not MLIRTokenKind.CARET_IDENT:
            self.raise_error("expected operation, block or '}'", token.span)
        name = token.text[1:]
        known = self.blocks.get(name)
        if known is not None and name not in self.forward_block_references:
            self.raise_error(f"redefinition of block '^{name}'", token.span)
        return super()._parse_block()

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        try:
            value = super().resolve_operand(operand, type)
        except XdslParseError as error:
            raise self._mismatch(error, operand) from None
        name = operand.operand_name
        if name in self.forward_ssa_references:
            self._first_use.setdefault(name, operand.span)
        return value

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        self._definitions[name] = span
        if name.startswith("_"):
            for value in values:
                set_name_hint(value, name)  # of `%_0`, xDSL keeps an empty name

    def _mismatch(self, error: XdslParseError, operand: UnresolvedOperand) -> ParseError:
        """Build the error of an operand of another type than the value has, and note its place."""
        text, name = self.lexer.input.content, self.lexer.input.name
        message = _operand_message(error.msg, operand.operand_name)
        result = parse_error(XdslParseError(operand.span, message), text, name, self.pos)
        prior = self._definitions.get(operand.operand_name)
        if prior is not None:
            note = XdslParseError(prior, "prior use here")
            result.notes.append(parse_error(note, text, name, self.pos))
        return result

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

    def _raise_unknown(self, message: str, name: str, known: Iterable[str]) -> NoReturn:
        """Raise an error about the name that was just parsed."""
        start = self.lexer.input.content.rfind(name, 0, self._current_token.span.start)
        span = Span(start, start + len(name), self.lexer.input)
        hint = did_you_mean(name, known)
        self.raise_error(f"{message}{f' ({hint})' if hint else ''}", span)

    # Each spelling of a type is parsed once; location aliases are looked up.

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

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        op = super()._parse_generic_operation(op_type)
        if isinstance(op, Op) and "operandSegmentSizes" not in op.get_irdl_definition().properties:
            # The sizes follow from the number of operands, see `Op.OPTIONALS`.
            sizes = op.properties.pop("operandSegmentSizes", None)
            expected = op.generic_properties.get("operandSegmentSizes")
            if expected is not None and sizes != expected:
                self.raise_error(
                    f"'{op.name}' op operandSegmentSizes must be {expected} for "
                    f"{len(op.operands)} operands; found {sizes}"
                )
        return op

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        name, attribute = super()._parse_attribute_entry()
        return modern_name(name), attribute

    def _get_op_by_name(self, name: str) -> type[Operation]:
        length = len(name)
        name = modern_name(name)
        op_class = operations().get(name) or self.ctx.get_optional_op(
            name, dialect_stack=self._parser_state.dialect_stack
        )
        here = self._names[-1]
        quoted = self.lexer.input.content.startswith('"', here)
        if op_class is None and quoted and self._allow_unregistered:
            op_class = unregistered(name)
        if op_class is None:
            hint = did_you_mean(name, operations())
            here += quoted
            span = Span(here, here + length, self.lexer.input)
            kind = "op" if quoted else "custom op"
            self.raise_error(f"{kind} '{name}' is unknown{f' ({hint})' if hint else ''}", span)
        return op_class


def _is_encoding(name: str) -> bool:
    """Check whether a name such as `#ttg.blocked` is that of an encoding."""
    if name in _ENCODING_NAMES:
        return True
    dialect, _, mnemonic = name[1:].partition(".")
    return dialect in LEGACY_DIALECTS and (
        mnemonic in LEGACY_ENCODINGS or f"#{LEGACY_DIALECTS[dialect]}.{mnemonic}" in _ENCODING_NAMES
    )


def _operand_message(message: str, name: str) -> str:
    """Rephrase xDSL's message about the type of an operand as MLIR's."""
    match = _TYPE_MISMATCH.search(message)
    if match is None:
        return message
    return (
        f"use of value '%{name}' expects different type than prior uses: '{match[1]}' vs "
        f"'{match[2]}'"
    )


def parse_module(text: str, name: str = "<stdin>", *, allow_unregistered: bool = False) -> ModuleOp:
    """Parse a module.

    Args:
        text: TTIR or TTGIR as Triton or weft prints it.
        name: The name of the file, for messages.
        allow_unregistered: Accept operations of unknown dialects, in the generic form.

    Returns:
        The module. Operations outside a module are wrapped in one.

    Raises:
        ParseError: With line, column, the text of the line and a caret.
    """
    parser = None
    try:
        parser = TextParser(text, name, allow_unregistered=allow_unregistered)
        return parser.parse_module()
    except PARSE_EXCEPTIONS as error:
        position = parser.pos if parser is not None else 0
        raise parse_error(error, text, name, position) from None


__all__ = ["TextParser", "parse_module"]
