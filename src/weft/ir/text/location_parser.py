"""Parse locations: `loc("k.py":3:1 to :9)`, `loc(fused<#m>[#loc1, #loc2])`, `loc(#loc3)`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import cast, get_args

from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.ir import Attribute
from xdsl.utils.mlir_lexer import MLIRTokenKind

from weft.ir.locations import FileLineColLoc, FileRangeLoc, FusedLoc, LocationAttr
from weft.ir.text.dense import DenseParser

__all__ = ["LocationParser"]

_SPELLED_LOCATION = re.compile(r"loc\((#loc\d*)\)")
_LOCATIONS = (*get_args(LocationAttr), FileRangeLoc)


class LocationParser(DenseParser, ABC):
    """The part of the parser that reads locations."""

    @abstractmethod
    def alias(self, name: str) -> Attribute | None:
        """Get the attribute that an alias names, None if the text does not define it."""

    def parse_optional_location(self) -> LocationAttr | None:
        token = self._current_token
        if token.text != "loc":
            return None
        lexer = self.lexer
        match = _SPELLED_LOCATION.match(lexer.input.content, token.span.start)
        if match is not None:
            known = self.alias(match.group(1))
            if isinstance(known, _LOCATIONS):
                lexer.pos = match.end()
                self._parser_state.current_token = lexer.lex()
                return cast("LocationAttr", known)
        return super().parse_optional_location()

    def _parse_location(self) -> LocationAttr:
        if self._current_token.text != "fused":
            location = super()._parse_location()
            if isinstance(location, FileLineColLoc) and self.parse_optional_keyword("to"):
                return self._location_range(location)
            return location
        self._consume_token()
        metadata: Attribute = NoneAttr()
        if self.parse_optional_punctuation("<") is not None:
            metadata = self.parse_attribute()
            self.parse_punctuation(">")
        children = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
        return FusedLoc(tuple(children), metadata)

    def _location_range(self, start: FileLineColLoc) -> LocationAttr:
        """Parse the end of a range: `:column` on the same line, or `line:column`."""
        line = start.line.data
        if self._current_token.kind is not MLIRTokenKind.COLON:
            line = self.parse_integer(False, False)
        self.parse_punctuation(":")
        location = FileRangeLoc(start, IntAttr(line), IntAttr(self.parse_integer(False, False)))
        return cast("LocationAttr", location)  # xDSL's LocationAttr is a closed union
