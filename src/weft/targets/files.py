"""Find the files of facts: a folder for each kind of row, in it a file for each chip.

chips_in("mma")                     # ["sm_100", "sm_120", "sm_80", …]
read_file("mma", "sm_90")           # its text
tables_in("mma", "sm_90")           # what TOML makes of it, parsed once for all processes
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from weft.errors import UnknownTargetError, did_you_mean
from weft.targets.rows import Tables, parse
from weft.targets.siblings import sibling

__all__ = ["chips_in", "read_file", "tables_in", "tables_of_chip"]

_ROOT = Path(__file__).parent


def chips_in(folder: str) -> list[str]:
    """Return the names of the files of a folder, without their ending, by the alphabet."""
    return sorted(file.stem for file in (_ROOT / folder).glob("*.toml"))


def read_file(folder: str, chip: str) -> str:
    """Return the text of a file that there is."""
    return (_ROOT / folder / f"{chip}.toml").read_text("utf-8")


def tables_in(folder: str, chip: str) -> Tables:
    """Return the tables of a file that there is.

    Raises: WeftError: it is no TOML.
    """
    return parse(read_file(folder, chip), f"{chip}.toml")


def tables_of_chip(
    folder: str, chip: str, name: str, what: str, spelled: Callable[[str], str] = str
) -> Tables:
    """Return what the file of a chip says, or that of the chip that it is like.

    Args: chip: the name that its file would have.  name: as the caller was given it.
    what: the rows are of, "tensor cores".  spelled: turns a file's name into a chip's.
    Raises: UnknownTargetError: there is no such file; it lists the chips that have one.
    """
    known = chips_in(folder)
    alike = None if chip in known else sibling(chip)
    if alike is not None:
        chip = alike.like
    if chip not in known:
        raise UnknownTargetError(
            f"no {what} are known of {name or 'a chip without a name'}",
            found=name,
            accepted=map(spelled, known),
            hint=did_you_mean(chip, known),
        )
    return tables_in(folder, chip)
