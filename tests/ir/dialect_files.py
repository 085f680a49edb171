"""The `.mlir` files of the dialects, which the tests of the IR share."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent
LOCATIONS = FOLDER / "text" / "locations.mlir"
ROUND_TRIP = tuple(
    path for path in sorted(FOLDER.glob("*.mlir")) if not path.stem.endswith("_invalid")
)
INVALID = tuple(sorted(FOLDER.glob("*_invalid.mlir")))


def split(path: Path) -> tuple[str, ...]:
    """List the modules of a file, without its RUN line, as they are printed."""
    text = re.sub(r"\A// RUN: .*\n", "", path.read_text())
    return tuple(part.strip("\n") + "\n" for part in re.split(r"^// -----$", text, flags=re.M))


MODULES: dict[str, str] = {
    f"{path.stem}-{index}": module
    for path in ROUND_TRIP
    for index, module in enumerate(split(path))
} | {"locations": LOCATIONS.read_text()}
"""Every valid module by the name of its file and its number in it."""
