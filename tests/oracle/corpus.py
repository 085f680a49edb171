"""Which kernels are compiled for which targets when weft is compared with Triton."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGETS = ("hip:gfx942", "hip:gfx950", "hip:gfx1201", "cuda:80", "cuda:90", "cuda:100")


@cache
def _entries(path: Path) -> tuple[ast.Tuple, ...]:
    """Return the entries of CASES, read without running the file."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CASES":
            assert isinstance(node.value, ast.Tuple), f"{path.name}: CASES is no tuple"
            return tuple(entry for entry in node.value.elts if isinstance(entry, ast.Tuple))
    return ()


@cache
def kernels_of(path: Path) -> tuple[str, ...]:
    """Return the name of the kernel of each entry of CASES."""
    return tuple(getattr(entry.elts[0], "id", "") for entry in _entries(path))


def is_for(path: Path, index: int, target: str) -> bool:
    """Tell whether an entry of CASES is for a target: a fifth part of it may name some."""
    named = _entries(path)[index].elts[4:]
    return not named or target in ast.literal_eval(named[0])


def cases_in(folder: Path) -> tuple[tuple[Path, int], ...]:
    """Return (file, index) of every case of the kernel files in a folder."""
    files = sorted(folder.glob("*.py"))
    return tuple((path, index) for path in files for index in range(len(kernels_of(path))))


EXAMPLES = cases_in(ROOT / "examples")
KERNELS = cases_in(ROOT / "tests" / "oracle" / "kernels")
COMPILES = tuple(
    (path, index, chip)
    for path, index in EXAMPLES + KERNELS
    for chip in TARGETS
    if is_for(path, index, chip)
)


def name(path: Path, index: int, target: str = "") -> str:
    """Return a short name for a test or a note: kernel, case and target."""
    kernel = kernels_of(path)[index]
    return "-".join(part for part in (kernel, str(index), target.replace(":", "_")) if part)
