"""Build source locations, and find the file position of one.

Triton attaches `loc("kernel.py":12:8)` to each operation, wraps it as `loc("acc"(#loc3))` for a
named value, and as `loc(callsite(#callee at #caller))` for an inlined operation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

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
from xdsl.ir import (
    Attribute,
    BlockArgument,
    BuiltinAttribute,
    OpResult,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.lexer import Input

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
    "fuse",
    "fused",
    "location_of",
    "named",
    "position",
    "stack_call_sites",
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


def in_text(source: Input, position: int) -> LocationAttr:
    """Build the location of a position in a text that is parsed."""
    line_start = source.content.rfind("\n", 0, position) + 1
    line = source.content.count("\n", 0, position) + 1
    return file(source.name, line, position - line_start + 1)


def named(name: str, child: LocationAttr) -> LocationAttr:
    """Build `loc("name"(child))`, or `loc("name")` if the child is unknown."""
    return NameLoc(StringAttr(name), NoneAttr() if isinstance(child, UnknownLoc) else child)


def call_site(callee: LocationAttr, caller: LocationAttr) -> LocationAttr:
    """Build `loc(callsite(callee at caller))`."""
    return CallSiteLoc(callee, caller)


def stack_call_sites(callee: LocationAttr, caller: LocationAttr) -> LocationAttr:
    """Build the location of an operation that is inlined into `caller`.

    The outermost call of a location that was inlined before is made by `caller`:
    `callsite(f at g)` at `h` is `callsite(f at callsite(g at h))`.
    """
    if isinstance(callee, CallSiteLoc):
        inner, outer = (cast("LocationAttr", part) for part in (callee.callee, callee.caller))
        return call_site(inner, stack_call_sites(outer, caller))
    return call_site(callee, caller)


def fused(children: tuple[LocationAttr, ...], metadata: Attribute | None = None) -> LocationAttr:
    """Build `loc(fused<metadata>[children…])`."""
    return FusedLoc(children, metadata if metadata is not None else NoneAttr())


def fuse(*parts: LocationAttr) -> LocationAttr:
    """Build the location of what replaces several operations, as MLIR's builder fuses locations.

    Unknown and repeated locations are dropped, and fused ones contribute their children.
    """
    children: list[LocationAttr] = []
    for part in parts:
        if isinstance(part, FusedLoc) and isinstance(part.metadata, NoneAttr):
            inner = part.locations.data if isinstance(part.locations, ArrayAttr) else ()
            children += cast("tuple[LocationAttr, ...]", inner)
        elif not isinstance(part, UnknownLoc):
            children.append(part)
    distinct = tuple(dict.fromkeys(children))
    if len(distinct) <= 1:
        return distinct[0] if distinct else unknown
    return fused(distinct)


def location_of(value: SSAValue) -> LocationAttr:
    """Return the location of a value: of its operation, or of the block argument."""
    if isinstance(value, OpResult):
        return value.op.location
    assert isinstance(value, BlockArgument)
    return value.location


def position(location: Attribute) -> Location | None:
    """Find the file position of a location, None if it has none.

    That of a call site is the position of the callee, that of a fused location the position of
    its first child that has one. Columns of IR text count from 1, those of Python source from 0.
    """
    if isinstance(location, FileLineColLoc):
        file_name, column = location.filename.data, location.column.data
        return Location(file_name, location.line.data, column + file_name.endswith(".py"))
    if isinstance(location, FileRangeLoc):
        return position(location.start)
    if isinstance(location, NameLoc):
        return position(location.location)
    if isinstance(location, CallSiteLoc):
        return position(location.callee)
    if isinstance(location, FusedLoc) and isinstance(location.locations, ArrayAttr):
        return next((p for child in location.locations.data if (p := position(child))), None)
    return None
