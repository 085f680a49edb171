"""Name the attribute aliases of a module as MLIR does.

    #blocked = #ttg.blocked<{…}>        above the module, innermost attributes first
    #blocked1 = #ttg.blocked<{…}>
    module { … tensor<64xf32, #blocked> … loc(#loc3) }
    #loc3 = loc("k.py":7:4)             below it: locations that only operations refer to

The depth of an attribute is one more than that of the deepest aliased attribute inside it. Aliases
are ordered by depth, then by stem ("blocked" before "loc"), then by their first occurrence, and
numbered per stem in that order.

Source: MLIR, AsmPrinter.cpp, AliasInitializer.
"""

from __future__ import annotations

from msgspec import Struct
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, ParametrizedAttribute

from weft.ir.encodings import EncodingAttr
from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.llvm import ALIASES as LLVM_ALIASES
from weft.ir.locations import (
    CallSiteLoc,
    FileLineColLoc,
    FileRangeLoc,
    FusedLoc,
    NameLoc,
    UnknownLoc,
)
from weft.ir.ttg.types import SharedMemoryAttr
from weft.layouts import Encoding

_STEMS: dict[type[Attribute], str] = {**LLVM_ALIASES, SharedMemoryAttr: "smem"}
LOCATIONS = (UnknownLoc, FileLineColLoc, FileRangeLoc, NameLoc, CallSiteLoc, FusedLoc)


class _Alias(Struct):
    """An attribute with an alias.

    Attributes:
        attribute: The attribute.
        stem: The alias without its number.
        depth: The depth of the deepest alias inside it.
        deferrable: Whether it can be defined below the module: only locations of operations
            refer to it.
    """

    attribute: Attribute
    stem: str
    depth: int = 0
    deferrable: bool = True


def stem(attribute: Attribute) -> str | None:
    """Get the stem of the alias of an attribute, None if it has no alias."""
    if isinstance(attribute, EncodingAttr):
        return attribute.data.alias
    if isinstance(attribute, LOCATIONS):
        return "loc"
    return _STEMS.get(type(attribute))


def _nested(attribute: Attribute) -> tuple[Attribute, ...]:
    if isinstance(attribute, EncodingAttr):
        nested = (value for _, value in attribute.data.fields() if isinstance(value, Encoding))
        return tuple(encoding_attribute(value) for value in nested)
    if isinstance(attribute, FileRangeLoc):
        return ()
    if isinstance(attribute, ParametrizedAttribute):
        return tuple(attribute.parameters)
    if isinstance(attribute, ArrayAttr):
        return tuple(attribute.data)
    if isinstance(attribute, DictionaryAttr):
        return tuple(attribute.data.values())
    return ()


class Aliases:
    """Collect attributes in the order in which they are printed, then name them."""

    def __init__(self) -> None:
        self._aliases: dict[Attribute, _Alias] = {}
        self._visited: dict[Attribute, tuple[int, bool]] = {}
        self.names: dict[Attribute, str] = {}

    def visit(self, attribute: Attribute, *, deferrable: bool = False) -> int:
        """Collect an attribute and those inside it.

        Args:
            attribute: The attribute.
            deferrable: Whether it is the location of an operation.

        Returns:
            The alias depth that it contributes to the attribute around it.
        """
        # Visit again if an earlier visit was deferrable and this one is not: the aliases inside the
        # attribute must then be defined above the module, too.
        known = self._visited.get(attribute)
        if known is not None and (deferrable or not known[1]):
            return known[0]
        kind = stem(attribute)
        alias = None
        if kind is not None:
            alias = self._aliases.setdefault(attribute, _Alias(attribute, kind))
        depth = 0
        for inner in _nested(attribute):
            depth = max(depth, self.visit(inner, deferrable=deferrable))
        if alias is not None:
            alias.depth = depth
            alias.deferrable = alias.deferrable and deferrable
            depth += 1
        self._visited[attribute] = (depth, deferrable)
        return depth

    def name(self) -> tuple[list[Attribute], list[Attribute]]:
        """Name every alias.

        Returns:
            The attributes to define above the module, and those to define below it.
        """
        ordered = sorted(self._aliases.values(), key=lambda alias: (alias.depth, alias.stem))
        count: dict[str, int] = {}
        for alias in ordered:
            number = count.get(alias.stem, 0)
            count[alias.stem] = number + 1
            self.names[alias.attribute] = f"#{alias.stem}{number or ''}"
        above = [alias.attribute for alias in ordered if not alias.deferrable]
        below = [alias.attribute for alias in ordered if alias.deferrable]
        return above, below
