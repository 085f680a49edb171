"""Chips that have no files of their own: another chip's facts hold for them, but for their names.

    sibling("gfx1200")      # Sibling(like="gfx1201", llvm_cpu="gfx1200", …)
    sibling("gfx1201")      # None: it has files

Their rows stand in siblings.toml. Whether two chips are alike is not guessed from their numbers:
Triton takes sm_121 for another chip than sm_120, and gfx1251 for another than gfx1250.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weft.targets.rows import check_keys, parse, read_list, read_row, read_sources

__all__ = ["Sibling", "sibling", "siblings"]

_FILE = "siblings.toml"


@dataclass(frozen=True, slots=True)
class Sibling:
    """A chip that is like another.

    Fields: name: as files of chips are named, "gfx1200" or "sm_87".  like: the chip with files.
    description, llvm_cpu: as of Target.  llvm_features: "" for those of the other chip.
    source: of the row.
    """

    name: str
    like: str
    description: str
    llvm_cpu: str
    source: str
    llvm_features: str = ""


@cache
def siblings() -> tuple[Sibling, ...]:
    """Return all of them."""
    return read_siblings(Path(__file__).with_name(_FILE).read_text("utf-8"))


def sibling(file: str) -> Sibling | None:
    """Return how a chip is like another, None if it is not.

    Args: file: the name that its file would have, "gfx1200" or "sm_87".
    """
    return next((each for each in siblings() if each.name == file), None)


def read_siblings(text: str) -> tuple[Sibling, ...]:
    """Return the rows of a file.

    Raises: WeftError with the row and what is wrong in it.
    """
    data = parse(text, _FILE)
    check_keys(_FILE, "table", data, ("sources", "rows"))
    sources = read_sources(_FILE, data["sources"])
    rows = check_keys(_FILE, "rows", data["rows"], ("siblings",))["siblings"]
    return tuple(
        read_row(_FILE, ("sibling", "name"), Sibling, row, sources)
        for row in read_list(f"{_FILE}: siblings", rows)
    )
