"""Files and functions stay small. `python -m tests.test_file_sizes` lists the largest."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "src").rglob("*.py"))
MAX_FILE_LINES, MAX_FUNCTION_LINES = 600, 80
LONG_FILE_LINES, LONG_FUNCTION_LINES = 400, 40


def file_lines() -> dict[str, int]:
    """Count the lines of every file, by path."""
    return {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in FILES}


def function_lines() -> Iterator[tuple[str, int]]:
    """Yield ("path:line name", lines of code below the docstring) of every function."""
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                has_docstring = ast.get_docstring(node, clean=False) is not None
                start = node.body[0].end_lineno if has_docstring else node.lineno
                where = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                yield where, node.end_lineno - (start or node.lineno)


def test_no_file_is_too_long():
    assert not {path: lines for path, lines in file_lines().items() if lines > MAX_FILE_LINES}


def test_no_function_is_too_long():
    assert not {where: lines for where, lines in function_lines() if lines > MAX_FUNCTION_LINES}


def report() -> str:
    """Print the medians and the files and functions that are long."""
    files, functions = file_lines(), dict(function_lines())
    lines = [
        f"{len(files)} files, median {median(files.values()):.0f} lines; "
        f"{len(functions)} functions, median {median(functions.values()):.0f} lines"
    ]
    for limit, sizes in ((LONG_FILE_LINES, files), (LONG_FUNCTION_LINES, functions)):
        large = sorted(((n, where) for where, n in sizes.items() if n > limit), reverse=True)
        lines += [f"  {n:4} lines  {where}" for n, where in large]
    return "\n".join(lines)


if __name__ == "__main__":
    print(report())
