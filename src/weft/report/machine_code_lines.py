"""Find the line of source code that each line of LLVM IR, PTX, AMDGCN and SASS comes from.

    %v = load float, ptr %p, !dbg !12        !12 = !DILocation(line: 31, scope: !3)      line 31
    .loc 1 31 16                             this line and those up to the next .loc     line 31
    //## File "/…/softmax.py", line 31       the same, as nvdisasm prints it             line 31

A line of the standard library belongs to the line of the kernel that called it. LLVM IR says which
(inlinedAt). Assembly does not; there, the line is known if LLVM IR has only one such caller.

Source: LLVM Language Reference, DILocation; PTX ISA, directives .file and .loc.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from weft.report.model import Place

__all__ = ["assembly_places", "llvm_callers", "llvm_places", "sass_places"]

_DEBUG = re.compile(r"!dbg !(\d+)")
_METADATA = re.compile(r"^!(\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,]+)')
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s*,?\s*"([^"]*)")?')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
_SASS = re.compile(r'^\s*//## File "([^"]*)", line (\d+)')

_IsLibrary = Callable[[str], bool]
_Callers = dict[Place, frozenset[Place]]


class _DebugInfo:
    """The locations of an LLVM module, by the number of their metadata."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._nodes: dict[int, tuple[str, dict[str, str]]] = {}
        for line in lines:
            if match := _METADATA.match(line):
                number, kind, fields = match.groups()
                self._nodes[int(number)] = kind, dict(_FIELD.findall(fields))

    def positions(self, number: int) -> Iterator[Place]:
        """Yield the position of a location and of its callers, from the innermost outwards."""
        while number in self._nodes:
            kind, fields = self._nodes[number]
            if kind != "DILocation":
                return
            if line := int(fields["line"]):  # line 0 is no line
                yield Place(self._file(_number(fields.get("scope", ""))), line)
            number = _number(fields.get("inlinedAt", ""))

    def locations(self) -> Iterator[int]:
        """Yield the numbers of all locations."""
        return (number for number, (kind, _) in self._nodes.items() if kind == "DILocation")

    def _file(self, scope: int) -> str:
        """Find the path of the file of a scope."""
        _, fields = self._nodes.get(scope, ("", {}))
        _, file = self._nodes.get(_number(fields.get("file", "")), ("", {}))
        name, folder = (file.get(key, '""').strip('"') for key in ("filename", "directory"))
        return f"{folder}/{name}" if folder else name


def _number(reference: str) -> int:
    """Parse "!12"; -1 if it is no reference."""
    return int(reference[1:]) if reference[:1] == "!" and reference[1:].isdigit() else -1


def llvm_places(lines: Sequence[str], is_library: _IsLibrary) -> list[Place | None]:
    """Find the line of the kernel for each line of LLVM IR.

    Args:
        lines: The lines of the module.
        is_library: Whether a file belongs to the standard library.
    """
    info = _DebugInfo(lines)
    places: list[Place | None] = []
    for line in lines:
        match = _DEBUG.search(line)
        positions = list(info.positions(int(match.group(1)))) if match else []
        places.append(_outside_library(positions, is_library))
    return places


def _outside_library(positions: Sequence[Place], is_library: _IsLibrary) -> Place | None:
    """Choose the innermost position that is not in the library."""
    return next((each for each in positions if not is_library(each.file)), None)


def llvm_callers(lines: Sequence[str], is_library: _IsLibrary) -> _Callers:
    """Collect the lines of the kernel that each line of the library was inlined into."""
    info = _DebugInfo(lines)
    callers: dict[Place, set[Place]] = defaultdict(set)
    for number in info.locations():
        positions = list(info.positions(number))
        caller = _outside_library(positions, is_library)
        if caller is not None and positions[0] != caller:
            callers[positions[0]].add(caller)
    return {place: frozenset(lines) for place, lines in callers.items()}


def assembly_places(
    lines: Sequence[str], is_library: _IsLibrary, callers: _Callers
) -> list[Place | None]:
    """Find the line of the kernel for each line of PTX or AMDGCN.

    Args:
        lines: The lines of the assembly.
        is_library: Whether a file belongs to the standard library.
        callers: As of `llvm_callers`.
    """
    files = _files(lines)
    places: list[Place | None] = []
    current: Place | None = None
    for line in lines:
        if match := _LOC.match(line):
            number, row = (int(group) for group in match.groups())
            position = Place(files.get(number, ""), row) if row else None
            current = _kernel_place(position, is_library, callers)
        places.append(current if _is_instruction(line) else None)
    return places


def _files(lines: Sequence[str]) -> dict[int, str]:
    """Collect the paths of .file directives, which PTX has at its end."""
    files: dict[int, str] = {}
    for line in lines:
        if match := _FILE.match(line):
            number, first, second = match.groups()
            files[int(number)] = f"{first}/{second}" if second else first
    return files


def _is_instruction(line: str) -> bool:
    """Check that a line of assembly is no directive, label, comment or brace."""
    text = line.strip()
    return bool(text) and not text.startswith((".", "//", ";", "{", "}")) and text[-1] != ":"


def _kernel_place(
    position: Place | None, is_library: _IsLibrary, callers: _Callers
) -> Place | None:
    if position is None or not is_library(position.file):
        return position
    candidates = callers.get(position, frozenset())
    return next(iter(candidates)) if len(candidates) == 1 else None


def sass_places(
    lines: Sequence[str], is_library: _IsLibrary, callers: _Callers
) -> list[Place | None]:
    """Find the line of the kernel for each line of SASS, which nvdisasm printed with line info."""
    places: list[Place | None] = []
    current: Place | None = None
    for line in lines:
        if match := _SASS.match(line):
            file, row = match[1], int(match[2])
            current = _kernel_place(Place(file, row) if row else None, is_library, callers)
            places.append(None)
        else:
            places.append(current if line.strip().startswith("/*") else None)
    return places
