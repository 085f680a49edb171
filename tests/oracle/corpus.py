"""Which kernels are compiled for which targets when weft is compared with Triton."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.oracle.client import EXAMPLES

TARGETS = ("hip:gfx942", "hip:gfx1201", "cuda:80", "cuda:90")


def count_cases(path: Path) -> int:
    """Return how many entries CASES has in a kernel file, read without running it."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CASES":
            assert isinstance(node.value, ast.Tuple)
            return len(node.value.elts)
    raise ValueError(f"{path.name} declares no CASES")


CASES = tuple((path, index) for path in EXAMPLES for index in range(count_cases(path)))
COMPILES = tuple((path, index, target) for path, index in CASES for target in TARGETS)


def name(path: Path, index: int, target: str = "") -> str:
    """Return a short name for a test or a table row."""
    return "-".join(part for part in (path.stem, str(index), target.replace(":", "_")) if part)
