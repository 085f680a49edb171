"""No code outside targets/ compares a chip's name: differences between chips are rows there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "weft"
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "targets" not in path.parts]
CHIP_VARIABLES = {"arch", "capability", "chip"}
CHIP_NAME = re.compile(r"^(gfx\d|sm_?\d)")
STRING_METHODS = {"startswith", "endswith", "removeprefix"}


def chip_comparisons(tree: ast.AST) -> Iterator[int]:
    """Yield the line of each comparison with a chip's name or of a variable that holds one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in STRING_METHODS:
            sides = tuple(node.args)
        elif isinstance(node, ast.Match):
            sides = (node.subject,)
        else:
            continue
        if any(_names_chip(side) for side in sides):
            yield node.lineno


def _names_chip(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(CHIP_NAME.match(node.value))
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(_names_chip(item) for item in node.elts)
    return getattr(node, "attr", getattr(node, "id", "")) in CHIP_VARIABLES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_comparison_of_chip_names(path):
    lines = list(chip_comparisons(ast.parse(path.read_text())))
    assert not lines, f"{path.name}: lines {lines}: add a fact to weft.targets"


@pytest.mark.parametrize(
    "code",
    [
        "if arch == 'x': pass",
        "if target.arch != y: pass",
        "if name in ('gfx942', 'gfx950'): pass",
        "if name.startswith('gfx9'): pass",
        "match self.arch:\n    case _: pass",
        "x = 1 if capability >= 90 else 2",
    ],
)
def test_comparisons_are_found(code):
    assert list(chip_comparisons(ast.parse(code))) == [1]


def test_other_comparisons_are_allowed():
    assert not list(chip_comparisons(ast.parse("if backend == 'hip' and warp_size == 64: pass")))
