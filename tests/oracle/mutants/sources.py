"""Read the modules to cut: files of IR, and JSON files with IR anywhere in them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

DIALECTS = Path(__file__).parents[2] / "ir"
"""The folder of the round-trip tests, which have every operation of each dialect."""


def dialect_modules() -> Iterator[str]:
    """Yield the modules of the round-trip tests of the dialects."""
    for path in sorted(DIALECTS.glob("*.mlir")):
        if not path.stem.endswith("_invalid"):
            yield from split(path.read_text())


def split(text: str) -> list[str]:
    """Split a file at its `// -----` lines."""
    return re.split(r"^// -----.*$", text, flags=re.MULTILINE)


def recorded_modules(paths: Iterable[Path], *, limit: int, seed: int) -> Iterator[str]:
    """Yield the distinct modules of files and folders.

    Args:
        paths: Files, and folders whose `.mlir`, `.ttir`, `.ttgir` and `.json` files are read.
        limit: At most so many files are read, chosen at random.
        seed: A number that changes the choice.
    """
    files: list[Path] = []
    for path in paths:
        files += sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [path for path in files if path.suffix in (".mlir", ".ttir", ".ttgir", ".json")]
    if len(files) > limit:
        files = sorted(random.Random(seed).sample(files, limit))
    seen: set[str] = set()
    for path in files:
        text = path.read_text(errors="replace")
        texts = _strings(json.loads(text)) if path.suffix == ".json" else split(text)
        for module in texts:
            if module not in seen and ("tt." in module or "module" in module):
                seen.add(module)
                yield module


def _strings(value: object) -> Iterator[str]:
    """Yield the strings in a JSON value that look like modules."""
    if isinstance(value, str):
        if "module" in value and "\n" in value:
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
