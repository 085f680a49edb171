"""Line information: `!dbg` metadata from the source locations of a module's lines.

    %v3 = fadd float %v1, %v2          →    %v3 = fadd float %v1, %v2, !dbg !1009

    !1001 = !DIFile(filename: "k.py", directory: "/src")
    !1004 = distinct !DISubprogram(name: "add", file: !1001, line: 5, unit: !1002, …)
    !1009 = !DILocation(line: 7, column: 12, scope: !1004)

An operation of an inlined function has the location of the callee, `inlinedAt` that of the call.
MLIR's locations do not name the callee, so its name is that of the `def` around the line.

Source: LLVM's Source Level Debugging guide; LangRef, specialized metadata nodes.
"""

from __future__ import annotations

import linecache
import re
from functools import lru_cache
from pathlib import PurePath

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute

from weft.codegen.llvm.constants import quote
from weft.ir.locations import CallSiteLoc, FusedLoc, NameLoc, position

__all__ = ["with_line_info"]

_FIRST_NUMBER = 1000  # metadata of the lowerings has smaller numbers
_DEFINITION = re.compile(r"(\s*)(?:async\s+)?def\s+(\w+)")
_LIST = "!{{{}}}"
_LOCATION = ", !dbg "
_MOST_SHARED = 64
_NEAR = 500  # a use in so many lines gives a shared value its location


def with_line_info(
    text: str, positions: tuple[tuple[int, Attribute | None], ...], emission: str
) -> str:
    """Add line information to a module.

    Args:
        text: The module, without debug information.
        positions: Number of a line, and the location of it and of the lines after it; the line of
            a `define` has the location of the function.
        emission: What LLVM emits: "LineTablesOnly", or "DebugDirectivesOnly" for no DWARF sections.
    """
    lines = text.split("\n")
    metadata = _Metadata(emission)
    calls_functions = text.count("\ndefine ") + text.startswith("define ") > 1
    ends = [start for start, _ in positions[1:]] + [len(lines)]
    shared: list[int] = []  # the lines of values that several operations share
    for (start, location), end in zip(positions, ends, strict=True):
        suffix: str | None = None  # of instructions; unknown before the first one
        for index in range(start, min(end, len(lines))):
            line = lines[index]
            if not line.startswith("  "):
                if line.startswith("define "):
                    lines[index] = metadata.define(line, location)
                continue
            if not metadata.function or line.startswith("  ;"):
                continue
            if location is None and line.startswith("  %"):
                shared.append(index)
            if location is not None:
                if suffix is None:
                    number = metadata.location(location)
                    suffix = f", !dbg !{number}" if number else ""
                if suffix:
                    lines[index] = line + suffix
            elif calls_functions and "call " in line:
                # The verifier requires a location of calls between functions with line information.
                lines[index] = f"{line}, !dbg !{metadata.unknown()}"
    _locate_shared_values(lines, shared)
    return "\n".join([*lines, *metadata.lines(), ""])


def _locate_shared_values(lines: list[str], shared: list[int]) -> None:
    """Give values like the thread's index, which belong to no operation, the line of their use.

    Args:
        lines: The lines, with locations; changed in place.
        shared: The numbers of the lines that compute such values.
    """
    for index in reversed(shared[:_MOST_SHARED]):
        if _LOCATION in lines[index]:
            continue
        name = lines[index].split(maxsplit=1)[0]
        ends = (f"{name},", f"{name} ", f"{name})")
        for user in lines[index + 1 : index + _NEAR]:
            if name in user and (any(end in user for end in ends) or user.endswith(name)):
                _, separator, location = user.rpartition(_LOCATION)
                lines[index] += separator + location if separator else ""
                break
            if user == "}":  # another function has other values of this name
                break


class _Metadata:
    """The metadata nodes of a module, numbered in the order of their creation.

    Attributes:
        function: The subprogram of the current function; 0 before the first one.
    """

    def __init__(self, emission: str) -> None:
        self.function = 0
        self._emission = emission
        self._numbers: dict[str, int] = {}  # by text; a distinct node has its own
        self._distinct: dict[object, int] = {}
        # Of the current function, by the identity of a location and the number of its call.
        self._locations: dict[tuple[int, int], int] = {}
        self._texts: list[str] = []
        self._function_file = ""
        self._unit = 0

    def define(self, line: str, location: Attribute | None) -> str:
        """Create the subprogram of a function, and return its `define` with it."""
        place = None if location is None else position(location)
        self.function = 0
        self._locations.clear()
        match = re.search(r"@([\w.$]+|\"[^\"]*\")\(", line)
        if place is None or match is None:
            return line
        self._function_file = place.file
        name = match[1].strip('"')
        self.function = self._subprogram((line, name), name, place.file, place.line)
        return f"{line.removesuffix(' {')} !dbg !{self.function} {{"

    def location(self, location: Attribute) -> int:
        """Number the DILocation of a location; 0 if it has no position."""
        return self._location(location, 0)

    def unknown(self) -> int:
        """Number a DILocation without a line."""
        return self._node(f"!DILocation(line: 0, scope: !{self.function})")

    def lines(self) -> list[str]:
        """List the definitions, with the named metadata that refers to them."""
        if not self._unit:
            return []
        version = self._node('!{i32 2, !"Debug Info Version", i32 3}')
        return [
            f"!llvm.dbg.cu = {_LIST.format(f'!{self._unit}')}",
            f"!llvm.module.flags = {_LIST.format(f'!{version}')}",
            *(f"!{_FIRST_NUMBER + n} = {text}" for n, text in enumerate(self._texts)),
        ]

    def _location(self, location: Attribute, inlined_at: int) -> int:
        key = (id(location), inlined_at)
        number = self._locations.get(key)
        if number is None:
            number = self._locations[key] = self._new_location(location, inlined_at)
        return number

    def _new_location(self, location: Attribute, inlined_at: int) -> int:
        if isinstance(location, NameLoc):
            return self._location(location.location, inlined_at)
        if isinstance(location, FusedLoc):
            parts = location.locations.data if isinstance(location.locations, ArrayAttr) else ()
            numbers = (self._location(part, inlined_at) for part in parts)
            return next((number for number in numbers if number), 0)
        if isinstance(location, CallSiteLoc):
            caller = self._location(location.caller, inlined_at)
            callee = position(location.callee)
            if not caller or callee is None:
                return caller
            # The location of a call is a node of its own, which inlined operations share.
            call = self._distinct.get((caller, self.function))
            if call is None:
                call = self._add(f"distinct {self._texts[caller - _FIRST_NUMBER]}")
                self._distinct[caller, self.function] = call
            return self._location(location.callee, call)
        place = position(location)
        if place is None:
            return 0
        column = max(0, place.column - place.file.endswith(".py"))
        scope = self._scope(place.file, place.line, is_inlined=bool(inlined_at))
        suffix = f", inlinedAt: !{inlined_at}" if inlined_at else ""
        text = f"line: {place.line}, column: {column}, scope: !{scope}{suffix}"
        return self._node(f"!DILocation({text})")

    def _scope(self, file: str, line: int, *, is_inlined: bool) -> int:
        """Number the scope of a line: a subprogram, or a file in that of the function."""
        if is_inlined:
            name, first = _enclosing_function(file, line)
            return self._subprogram((file, name, first), name, file, first)
        if file == self._function_file:
            return self.function
        scope = f"scope: !{self.function}, file: !{self._file(file)}, discriminator: 0"
        return self._node(f"!DILexicalBlockFile({scope})")

    def _subprogram(self, key: object, name: str, file: str, line: int) -> int:
        number = self._distinct.get(key)
        if number is not None:
            return number
        source = self._file(file)
        if not self._unit:
            self._unit = self._add(
                f'distinct !DICompileUnit(language: DW_LANG_C, file: !{source}, producer: "weft", '
                f"isOptimized: true, runtimeVersion: 0, emissionKind: {self._emission})"
            )
        type_ = self._node("!DISubroutineType(types: !{})")
        number = self._distinct[key] = self._add(
            f"distinct !DISubprogram(name: {quote(name)}, linkageName: {quote(name)}, "
            f"scope: !{source}, file: !{source}, line: {line}, type: !{type_}, "
            f"scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, "
            f"unit: !{self._unit})"
        )
        return number

    def _file(self, name: str) -> int:
        path = PurePath(name)
        directory = quote(str(path.parent))
        return self._node(f"!DIFile(filename: {quote(path.name)}, directory: {directory})")

    def _node(self, text: str) -> int:
        """Number a node; equal ones are one."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = self._add(text)
        return number

    def _add(self, text: str) -> int:
        self._texts.append(text)
        return _FIRST_NUMBER + len(self._texts) - 1


@lru_cache(maxsize=4096)
def _enclosing_function(file: str, line: int) -> tuple[str, int]:
    """Find the name and the line of the function around a line of Python source.

    Returns:
        The file and the line if the source is not available.
    """
    lines = linecache.getlines(file)[:line]
    if lines:
        indentation = len(lines[-1]) - len(lines[-1].lstrip())
        for number in range(len(lines), 0, -1):
            match = _DEFINITION.match(lines[number - 1])
            if match and (len(match[1]) < indentation or number == line):
                return match[2], number
    return f"{PurePath(file).stem}:{line}", line
