"""A chip's name decides nothing outside of targets/: what differs between chips is a row there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "weft"
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "targets" not in path.parts]
CHIP_WORDS = {"arch", "capability", "chip"}
CHIP_NAME = re.compile(r"^(gfx\d|sm_?\d)")
TESTS = {"startswith", "endswith", "removeprefix"}


def chip_decisions(tree: ast.AST) -> Iterator[int]:
    """Yield the line of each comparison of, or with, the name of a chip."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in TESTS:
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
    return getattr(node, "attr", getattr(node, "id", "")) in CHIP_WORDS


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_decision_by_name_of_chip(path):
    lines = list(chip_decisions(ast.parse(path.read_text())))
    assert not lines, f"{path.name}: lines {lines}: make it a fact of weft.targets"


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
def test_the_walk_sees_decisions(code):
    assert list(chip_decisions(ast.parse(code))) == [1]


def test_the_walk_lets_other_comparisons_be():
    assert not list(chip_decisions(ast.parse("if backend == 'hip' and warp_size == 64: pass")))
