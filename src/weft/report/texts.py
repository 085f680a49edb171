"""IR and machine code as lines that name the lines of the kernel they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.explain.source_lines import kernel_line
from weft.ir.builtin import ModuleOp
from weft.ir.kernel_positions import is_in_library
from weft.ir.text.operation_lines import print_with_lines
from weft.report.machine_code_lines import (
    assembly_places,
    llvm_callers,
    llvm_places,
    sass_places,
)
from weft.report.model import Place, Text

__all__ = ["PlaceTable", "code_texts", "module_text"]


class PlaceTable:
    """Numbers the lines of source code that texts refer to."""

    def __init__(self) -> None:
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place | None) -> int:
        """Get the number of a place; -1 for None."""
        return -1 if place is None else self._numbers.setdefault(place, len(self._numbers))

    @property
    def places(self) -> tuple[Place, ...]:
        """The places in the order of their numbers."""
        return tuple(self._numbers)


def module_text(name: str, module: ModuleOp, table: PlaceTable) -> Text:
    """Print a module; the lines of a region's end belong to no line of the kernel."""
    text, first_lines = print_with_lines(module)
    lines = text.splitlines()
    places = [-1] * len(lines)
    for op, line in first_lines.items():
        location = kernel_line(op)
        if location is not None:
            places[line] = table.number(Place(location.file, location.line))
    return Text(name, tuple(lines), tuple(places))


def code_texts(
    llvm: str, assembly: tuple[str, str], sass: str | None, table: PlaceTable
) -> tuple[Text, ...]:
    """Collect LLVM IR, assembly and SASS.

    Args:
        llvm: LLVM IR with debug info.
        assembly: The name ("ptx" or "amdgcn") and the text.
        sass: The text that nvdisasm prints; None without it.
        table: Numbers the places.
    """
    llvm_lines = llvm.splitlines()
    callers = llvm_callers(llvm_lines, is_in_library)
    name, text = assembly
    lines = text.splitlines()
    texts = [
        _text("llir", llvm_lines, llvm_places(llvm_lines, is_in_library), table),
        _text(name, lines, assembly_places(lines, is_in_library, callers), table),
    ]
    if sass is not None:
        lines = sass.splitlines()
        texts.append(_text("sass", lines, sass_places(lines, is_in_library, callers), table))
    return tuple(texts)


def _text(
    name: str, lines: Sequence[str], places: Iterable[Place | None], table: PlaceTable
) -> Text:
    return Text(name, tuple(lines), tuple(map(table.number, places)))
