"""List the lines of weft that raise an error a user can meet and that no test reached.

    python -m coverage run --data-file .coverage -m pytest -q
    python -m tests.error_coverage .coverage

`make errors` runs both. A line counts if it raises a class of `weft.errors`, VerifyException of
xDSL, or what a function or method returns (`raise self.error(…)`). Exceptions of Python and those
that weft catches itself do not count.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from coverage import CoverageData

SOURCE = Path(__file__).parents[1] / "src" / "weft"
USER_ERRORS = frozenset({"WeftError", "VerifyException"})


def class_bases(trees: Iterable[ast.Module]) -> dict[str, set[str]]:
    """Map the name of each class to the names of its bases."""
    bases: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(map(last_name, node.bases))
    return bases


def last_name(node: ast.expr) -> str:
    """Get the last part of a dotted name; "" of any other expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_user_error(name: str, bases: Mapping[str, set[str]]) -> bool:
    """Check whether a class is, or inherits from, one of USER_ERRORS."""
    return name in USER_ERRORS or any(is_user_error(base, bases) for base in bases.get(name, ()))


def error_lines(tree: ast.Module, bases: Mapping[str, set[str]]) -> Iterator[int]:
    """Yield the lines that raise an error a user can meet.

    Args:
        tree: A module.
        bases: The bases of each class of the program by name.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        name = last_name(node.exc.func)
        is_class = name[:1].isupper()
        if not is_class or is_user_error(name, bases):
            yield node.lineno


def main(data_file: str) -> None:
    """Print the share of lines that the tests reached, then the other lines by package."""
    data = CoverageData(data_file)
    data.read()
    paths = sorted(SOURCE.rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    bases = class_bases(trees.values())
    totals: Counter[str] = Counter()
    missed: dict[str, list[str]] = {}
    for path, tree in trees.items():
        reached = set(data.lines(str(path)) or ())
        package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for line in sorted(error_lines(tree, bases)):
            totals[package] += 1
            if line not in reached:
                missed.setdefault(package, []).append(f"{path.relative_to(SOURCE)}:{line}")
    report(totals, missed)


def report(totals: Mapping[str, int], missed: Mapping[str, Sequence[str]]) -> None:
    """Print a table by package, and the lines that no test reached."""
    for package, total in sorted(totals.items()):
        print(f"{package:16} {total - len(missed.get(package, ())):4} of {total:4}")
    total, missed_total = sum(totals.values()), sum(map(len, missed.values()))
    print(f"{'all':16} {total - missed_total:4} of {total:4}  {1 - missed_total / total:.1%}")
    for lines in missed.values():
        print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
