"""The functions of a kernel, read from their files."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable

from weft.ir.kernel_positions import is_in_library
from weft.report.model import Place, SourceFile

__all__ = ["read_sources"]


def read_sources(places: Iterable[Place]) -> tuple[SourceFile, ...]:
    """Read the functions that contain lines of source code, one range of lines per file.

    Files that cannot be read, as those of a dump from another machine, are left out.
    """
    lines_of_file: dict[str, set[int]] = {}
    for place in places:
        if not is_in_library(place.file):
            lines_of_file.setdefault(place.file, set()).add(place.line)
    sources: list[SourceFile] = []
    for file, numbers in lines_of_file.items():
        lines = [line.rstrip("\n") for line in linecache.getlines(file)]
        if lines and max(numbers) <= len(lines):
            first, last = _function_range(lines, numbers)
            sources.append(SourceFile(file, first, tuple(lines[first - 1 : last])))
    return tuple(sources)


def _function_range(lines: list[str], numbers: set[int]) -> tuple[int, int]:
    """Find the first and the last line of the functions that contain some lines."""
    first, last = min(numbers), max(numbers)
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return first, last
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            end = node.end_lineno or node.lineno
            if any(start <= number <= end for number in numbers):
                first, last = min(first, start), max(last, end)
    return first, last
