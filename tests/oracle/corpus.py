"""Kernels and targets of the comparison with Triton."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGETS = ("hip:gfx942", "hip:gfx950", "hip:gfx1201", "cuda:80", "cuda:90", "cuda:100")
CHIPS = (
    *("hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950"),
    *("hip:gfx1100", "hip:gfx1201", "hip:gfx1250"),
    *("cuda:80", "cuda:89", "cuda:90", "cuda:100"),
)  # for the layout passes
FIRST = ("blocks", "control", "shapes")  # kernel files that compile for every target by default


@cache
def _assigned(path: Path) -> dict[str, ast.expr]:
    """Map the names that a file assigns to their expressions, without executing it."""
    return {
        target.id: node.value
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


@cache
def _entries(path: Path) -> tuple[ast.Tuple, ...]:
    """List the entries of CASES."""
    cases = _assigned(path).get("CASES")
    assert cases is None or isinstance(cases, ast.Tuple), f"{path.name}: CASES is no tuple"
    entries = cases.elts if isinstance(cases, ast.Tuple) else ()
    return tuple(entry for entry in entries if isinstance(entry, ast.Tuple))


def _strings(path: Path, expression: ast.expr) -> tuple[str, ...]:
    """Evaluate a tuple of strings: a literal, a name that the file assigns, or a starred one."""
    if isinstance(expression, ast.Name):
        return _strings(path, _assigned(path)[expression.id])
    if isinstance(expression, ast.Starred):
        return _strings(path, expression.value)
    if isinstance(expression, ast.Constant):
        return (str(expression.value),)
    assert isinstance(expression, ast.Tuple), f"{path.name}: targets are no tuple"
    return tuple(text for each in expression.elts for text in _strings(path, each))


@cache
def kernels_of(path: Path) -> tuple[str, ...]:
    """List the name of the kernel of each entry of CASES."""
    return tuple(getattr(entry.elts[0], "id", "") for entry in _entries(path))


def is_for(path: Path, index: int, target: str) -> bool:
    """Check whether an entry of CASES is for a target: its fifth item may list targets."""
    named = _entries(path)[index].elts[4:]
    return not named or target in _strings(path, named[0])


def cases_in(folder: Path) -> tuple[tuple[Path, int], ...]:
    """List (file, index) of every case of the kernel files in a folder."""
    files = sorted(folder.glob("*.py"))
    return tuple((path, index) for path in files for index in range(len(kernels_of(path))))


EXAMPLES = cases_in(ROOT / "examples")
KERNELS = cases_in(ROOT / "tests" / "oracle" / "kernels")


def _sampled() -> tuple[tuple[Path, int, str], ...]:
    """List the compiles of a default run; most kernel files have one target per case."""
    compiles: list[tuple[Path, int, str]] = []
    for number, (path, index) in enumerate(EXAMPLES + KERNELS):
        chips = [chip for chip in TARGETS if is_for(path, index, chip)]
        if path.parent.name == "kernels" and path.stem not in FIRST:
            chips = chips[number % len(chips) :][:1] if chips else []
        compiles += [(path, index, chip) for chip in chips]
    return tuple(compiles)


COMPILES = _sampled()
# The compiles of the layout passes in a default run: the first case of every second kernel, on one
# chip each.
LAYOUT_COMPILES = tuple(
    (path, index, chips[number % len(chips)])
    for number, (path, index) in enumerate(EXAMPLES + KERNELS)
    if kernels_of(path).index(kernels_of(path)[index]) == index
    for chips in [[chip for chip in CHIPS if is_for(path, index, chip)]]
    if chips
)[::2]


def name(path: Path, index: int, target: str = "") -> str:
    """Format a short name for a test or a note: kernel, case and target."""
    kernel = kernels_of(path)[index]
    return "-".join(part for part in (kernel, str(index), target.replace(":", "_")) if part)
