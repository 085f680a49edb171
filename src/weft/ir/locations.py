"""Build source locations, and find the file position of one.

Triton attaches `loc("kernel.py":12:8)` to each operation, wraps it as `loc("acc"(#loc3))` for a
named value, and as `loc(callsite(#callee at #caller))` for an inlined operation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BuiltinAttribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition

from weft.errors import Location

if TYPE_CHECKING:
    from xdsl.printer import Printer

__all__ = [
    "CallSiteLoc",
    "FileLineColLoc",
    "FileRangeLoc",
    "FusedLoc",
    "LocationAttr",
    "NameLoc",
    "UnknownLoc",
    "call_site",
    "file",
    "fused",
    "named",
    "position",
    "unknown",
]

unknown: LocationAttr = UnknownLoc()


@irdl_attr_definition
class FileRangeLoc(ParametrizedAttribute, BuiltinAttribute):
    """A range of a file: `loc("k.py":5:6 to :9)`, `loc("k.py":5:6 to 7:9)`."""

    name = "file_range_loc"
    start: FileLineColLoc
    end_line: IntAttr
    end_column: IntAttr

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            self.start.print_builtin(printer)
            line = self.end_line.data
            end_line = "" if line == self.start.line.data else str(line)
            printer.print_string(f" to {end_line}:{self.end_column.data}")


@lru_cache(maxsize=65536)
def file(name: str, line: int, column: int = 0) -> LocationAttr:
    """Build `loc("name":line:column)`."""
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


def named(name: str, child: LocationAttr) -> LocationAttr:
    """Build `loc("name"(child))`."""
    return NameLoc(StringAttr(name), child)


def call_site(callee: LocationAttr, caller: LocationAttr) -> LocationAttr:
    """Build `loc(callsite(callee at caller))`."""
    return CallSiteLoc(callee, caller)


def fused(children: tuple[LocationAttr, ...], metadata: Attribute | None = None) -> LocationAttr:
    """Build `loc(fused<metadata>[children…])`."""
    return FusedLoc(children, metadata if metadata is not None else NoneAttr())


def position(location: Attribute) -> Location | None:
    """Find the file position of a location, None if it has none.

    That of a call site is the position of the callee, that of a fused location the position of
    its first child that has one.
    """
    if isinstance(location, FileLineColLoc):
        return Location(location.filename.data, location.line.data, location.column.data)
    if isinstance(location, FileRangeLoc):
        return position(location.start)
    if isinstance(location, NameLoc):
        return position(location.location)
    if isinstance(location, CallSiteLoc):
        return position(location.callee)
    if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
        return next((p for child in location.locations.data if (p := position(child))), None)
    return None
