"""Parse IR text: xDSL's parser, extended for Triton's text.

- Operations without a location get their position in the text, as in MLIR.
- Names of Triton before 3.2 are read as today's: `triton_gpu.local_load` is `ttg.local_load`.
- Every error becomes a `weft.errors.ParseError` with line, column and the text of the line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
from xdsl.ir import AttributeInvT, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError as XdslParseError
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from weft.errors import ParseError, did_you_mean
from weft.ir.context import operations, unregistered
from weft.ir.definition_verifier import SEGMENT_SIZES, has_properties
from weft.ir.locations import LocationAttr, file
from weft.ir.operation import Op
from weft.ir.text.attribute_parser import AttributeParser
from weft.ir.text.diagnostics import PARSE_EXCEPTIONS, parse_error
from weft.ir.text.legacy_names import modern_name
from weft.ir.value_names import set_name_hint

_RESULTS = re.compile(r"(?:%[\w$.-]+|:\s*\d+|[,=]|\s++|//[^\n]*+)*+")
_TYPE_MISMATCH = re.compile(
    r"operand is used with type (.*), but has been previously used or defined with type (.*)",
    re.DOTALL,
)
_NEWLINE = re.compile(r"\n")


class TextParser(AttributeParser):
    """The parser of `parse_module`, which calls the `parse` methods of operations."""

    def __init__(
        self,
        text: str,
        name: str,
        *,
        allow_unregistered: bool = False,
        ignores_locations: bool = False,
    ) -> None:
        super().__init__(text, name)
        self._ignores_locations = ignores_locations
        self._allow_unregistered = allow_unregistered
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

    def _parse_external_resources(self) -> None:
        """Parse the resources of tools, such as a reproducer, which say nothing about the module.

        {-# external_resources: { mlir_reproducer: { pipeline: "…", verify_each: true } } #-}
        """

        def parse_entry() -> None:
            if self.parse_optional_str_literal() is None:
                self.parse_identifier()
            self.parse_punctuation(":")
            if self.parse_optional_str_literal() is None:
                self.parse_boolean()

        def parse_provider() -> None:
            self.parse_identifier()
            self.parse_punctuation(":")
            self.parse_comma_separated_list(self.Delimiter.BRACES, parse_entry)

        self.parse_comma_separated_list(self.Delimiter.BRACES, parse_provider)

    def parse_operation(self) -> Operation:
        match = _RESULTS.match(self.lexer.input.content, self._current_token.span.start)
        self._names.append(match.end() if match is not None else self.pos)
        op = super().parse_operation()
        start = self._names.pop()
        if self._ignores_locations or op.location is UNKNOWN_LOC:
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

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        op = super()._parse_generic_operation(op_type)
        if isinstance(op, Op):
            self._drop_unknown_properties(op)
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

    def _drop_unknown_properties(self, op: Op) -> None:
        """Drop properties that the definition does not declare, as MLIR does.

        So IR of a release of Triton that adds a property can be read.
        """
        known = (*op.get_irdl_definition().properties, *SEGMENT_SIZES)
        unknown = [name for name in op.properties if name not in known]
        if unknown and not has_properties(type(op)):
            self.raise_error(
                f"invalid properties {{{', '.join(unknown)}}} for op {op.name}: this operation "
                "does not support properties"
            )
        for name in unknown:
            del op.properties[name]

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


def _operand_message(message: str, name: str) -> str:
    """Rephrase xDSL's message about the type of an operand as MLIR's."""
    match = _TYPE_MISMATCH.search(message)
    if match is None:
        return message
    return (
        f"use of value '%{name}' expects different type than prior uses: '{match[1]}' vs "
        f"'{match[2]}'"
    )


def parse_module(
    text: str,
    name: str = "<stdin>",
    *,
    allow_unregistered: bool = False,
    ignores_locations: bool = False,
) -> ModuleOp:
    """Parse a module.

    Args:
        text: TTIR or TTGIR as Triton or weft prints it.
        name: The name of the file, for messages.
        allow_unregistered: Accept operations of unknown dialects, in the generic form.
        ignores_locations: Give every operation its position in the text as location.

    Returns:
        The module. Operations outside a module are wrapped in one.

    Raises:
        ParseError: With line, column, the text of the line and a caret.
    """
    parser = None
    try:
        parser = TextParser(
            text,
            name,
            allow_unregistered=allow_unregistered,
            ignores_locations=ignores_locations,
        )
        return parser.parse_module()
    except PARSE_EXCEPTIONS as error:
        position = parser.pos if parser is not None else 0
        raise parse_error(error, text, name, position) from None


__all__ = ["TextParser", "parse_module"]
