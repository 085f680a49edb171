"""Parse a format string into directives."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import OptionalDef

from weft.ir.assembly_format.attribute_directives import (
    AttrDictDirective,
    AttributeVariable,
    FlagsVariable,
    UnitAttributeVariable,
)
from weft.ir.assembly_format.directive import (
    FormatDirective,
    LiteralDirective,
    OIListDirective,
    OptionalGroup,
    WhitespaceDirective,
)
from weft.ir.assembly_format.spec import Arity, FormatSpec
from weft.ir.assembly_format.type_directives import (
    BareTypeDirective,
    FunctionalTypeDirective,
    TypeDirective,
)
from weft.ir.assembly_format.variables import OperandVariable, RegionVariable
from weft.ir.bit_enums import FlagsConstraint
from weft.ir.definition_verifier import type_constraint

__all__ = ["FormatParser"]

_TOKEN = re.compile(
    r"\s*(?:`(?P<literal>[^`]*)`|\$(?P<variable>\w+)|(?P<word>attr-dict-with-keyword|attr-dict"
    r"|functional-type|bare-type|type|oilist|operands|results)"
    r"|custom<(?P<custom>\w+)>|(?P<sign>\)\?|[()|^,]))"
)
_SEGMENT_SIZES = {"operandSegmentSizes", "resultSegmentSizes"}


class FormatParser:
    """A recursive-descent parser of one format string.

    Raises:
        ValueError: The format string is malformed.
    """

    def __init__(self, spec: FormatSpec) -> None:
        self._spec = spec
        self._tokens = list(_TOKEN.finditer(spec.format))
        if "".join(match.group() for match in self._tokens).strip() != spec.format.strip():
            raise self._error(f"malformed assembly format: {spec.format}")
        self._position = 0
        self._operands: dict[str, Arity] = dict(spec.operands)
        self._regions = {name for name, _ in spec.definition.regions}
        self._values: dict[str, Arity] = {
            **dict(spec.results),
            **self._operands,
            "operands": "many",
            "results": "many",
        }

    def parse(self) -> tuple[FormatDirective, ...]:
        """Parse the whole format."""
        directives, _ = self._directives()
        bound = _SEGMENT_SIZES.union(*(directive.bound_properties() for directive in directives))
        # Only now is it known which properties the other directives print.
        return tuple(
            AttrDictDirective(directive.with_keyword, frozenset(bound), self._spec.defaults)
            if isinstance(directive, AttrDictDirective)
            else directive
            for directive in directives
        )

    def _error(self, message: str) -> ValueError:
        return ValueError(f"{self._spec.cls.name}: {message}")

    def _peek(self) -> str:
        if self._position == len(self._tokens):
            return ""
        return self._tokens[self._position].group().strip()

    def _take(self) -> re.Match[str]:
        self._position += 1
        return self._tokens[self._position - 1]

    def _skip(self, *tokens: str) -> None:
        for token in tokens:
            if self._peek() != token:
                raise self._error(f"expected {token} in the assembly format, found {self._peek()}")
            self._take()

    def _directives(self, *stops: str) -> tuple[list[FormatDirective], FormatDirective | None]:
        """Parse directives up to a stop token; return them and the anchor among them."""
        directives: list[FormatDirective] = []
        anchor: FormatDirective | None = None
        while self._peek() and self._peek() not in stops:
            if self._peek() == "^":
                self._take()
                anchor = directives[-1]
            else:
                directives.append(self._directive())
        return directives, anchor

    def _directive(self) -> FormatDirective:
        token = self._take()
        if (text := token.group("literal")) is not None:
            return LiteralDirective(text) if text else WhitespaceDirective()
        if (name := token.group("variable")) is not None:
            return self._variable(name)
        if (name := token.group("custom")) is not None:
            return self._spec.custom[name]
        match token.group("word") or token.group("sign"):
            case "attr-dict":
                return AttrDictDirective(False, frozenset(), {})
            case "attr-dict-with-keyword":
                return AttrDictDirective(True, frozenset(), {})
            case "type":
                return self._type()
            case "bare-type":
                name = self._type().name
                return BareTypeDirective(name, self._spec.bare_types[name])
            case "functional-type":
                self._skip("(")
                inputs = self._take().group().strip().lstrip("$")
                self._skip(",", "results", ")")
                return FunctionalTypeDirective(inputs)
            case "oilist":
                return self._oilist()
            case "(":
                directives, anchor = self._directives(")?")
                self._skip(")?")
                if anchor is None:
                    raise self._error("an optional group has no anchor")
                return OptionalGroup(tuple(directives), anchor)
            case other:
                raise self._error(f"unexpected {other} in the assembly format")

    def _variable(self, name: str) -> FormatDirective:
        if name in self._operands:
            return OperandVariable(name, self._operands[name])
        if name in self._regions:
            return RegionVariable(name)
        definition = self._spec.definition.properties[name]
        constraint, is_optional = definition.constr, isinstance(definition, OptionalDef)
        if is_optional and constraint.get_bases() == {UnitAttr}:
            return UnitAttributeVariable(name)
        if isinstance(constraint, FlagsConstraint):
            return FlagsVariable(name, constraint.enum, is_optional)
        return AttributeVariable(name, constraint, definition.default_value)

    def _type(self) -> TypeDirective:
        self._skip("(")
        name = self._take().group().strip().lstrip("$")
        self._skip(")")
        definition = self._spec.definition
        declared = {**dict(definition.operands), **dict(definition.results)}
        constraint = type_constraint(declared.get(name))
        is_tensor = constraint is not None and constraint.is_tensor
        return TypeDirective(name, self._values[name], needs_tensor=is_tensor)

    def _oilist(self) -> FormatDirective:
        self._skip("(")
        clauses: list[tuple[FormatDirective, ...]] = []
        while True:
            directives, _ = self._directives("|", ")")
            clauses.append(tuple(directives))
            if self._take().group().strip() == ")":
                return OIListDirective(tuple(clauses))
