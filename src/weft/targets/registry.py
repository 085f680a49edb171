"""Find a chip by any of the names that people use for it.

`target("hip:gfx942")`, `target("gfx942")`, `target("cuda:90")`, `target("sm_90")` and
`target("cuda:sm90")` all work, and so do boards: `target("H100")`. An unknown
name is an error that lists the known ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypedDict, cast

from msgspec.structs import replace

from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.targets.chip import Target, read_chip
from weft.targets.derived import DerivedChip, base_folder, read_derived
from weft.targets.loading import chip_folders, folders_with, load_tables, target_name

__all__ = ["derive_chip", "derived_targets", "known_targets", "target"]

_SM = re.compile(r"^(?:cuda:)?(?:sm_?)?(\d+)$")


class _BoardNames(TypedDict):
    """The part of a row of boards.toml that names the board."""

    name: str
    driver_names: Sequence[str]


@cache
def target(name: str) -> Target:
    """Look up the facts of a chip.

    Args:
        name: Such as "hip:gfx942", "gfx942", "cuda:90", "sm_90" or "cpu"; or a board, such as
            "H100", "RTX 4090" or "MI300X".

    Raises:
        UnknownTargetError: No such chip; lists the known names, with the most similar as a hint.
    """
    match = _SM.match(name)
    full_name = f"cuda:{match[1]}" if match else name
    folder = f"sm_{match[1]}" if match else name.removeprefix("hip:")
    if folder in chip_folders() and (match is not None or not folder.startswith("sm_")):
        return _load_chip(folder)
    if board_folder := _folder_of_board(name):
        return _load_chip(board_folder)
    names = (*known_targets(), *derived_targets())
    raise UnknownTargetError(
        f"unknown target {name}",
        found=name,
        accepted=names,
        hint=did_you_mean(name.upper(), dict.fromkeys(_boards()))
        or did_you_mean(full_name, names)
        or did_you_mean(f"hip:{full_name}", names),
    )


def _folder_of_board(name: str) -> str | None:
    """Find the chip of a board: by its name or the first words of it, or a name of its driver."""
    words = name.lower().split()
    for folder in folders_with("boards") if words else ():
        for row in _rows_of_boards(folder):
            for each in (row["name"], *row["driver_names"]):
                if each.lower().split()[: len(words)] == words:
                    return folder
    return None


def _boards() -> Iterator[str]:
    """Yield the names of boards without the variants of one: "H100", not "H100 SXM"."""
    for folder in folders_with("boards"):
        for row in _rows_of_boards(folder):
            series, *words = row["name"].split()
            # Of "RTX 4090" and "RX 9070 XT" the number is the second word.
            yield " ".join([series, *words[: series.isalpha()]])


def _rows_of_boards(folder: str) -> Sequence[_BoardNames]:
    lists = cast("Mapping[str, Sequence[_BoardNames]]", load_tables("boards", folder)["rows"])
    return lists["boards"]


@cache
def known_targets() -> tuple[str, ...]:
    """List the full names of all chips that are not derived from another."""
    return _sorted_names(folder for folder in chip_folders() if not _base(folder))


@cache
def derived_targets() -> Mapping[str, str]:
    """Map the full name of each derived chip (see `derived`) to that of its base chip."""
    bases = {folder: base for folder in chip_folders() if (base := _base(folder))}
    base_names = {target_name(folder): target_name(base) for folder, base in bases.items()}
    return {name: base_names[name] for name in _sorted_names(bases)}


def _base(folder: str) -> str | None:
    return base_folder(load_tables("chip", folder), folder)


def _sorted_names(folders: Iterable[str]) -> tuple[str, ...]:
    """Sort target names by back end, then numerically: "cuda:90" before "cuda:100"."""
    names = [target_name(folder) for folder in folders]
    return tuple(sorted(names, key=lambda name: (name.partition(":")[0], len(name), name)))


@cache
def _load_chip(folder: str) -> Target:
    tables = load_tables("chip", folder)
    derived = read_derived(tables, folder)
    return read_chip(tables, folder) if derived is None else derive_chip(folder, derived)


def derive_chip(folder: str, derived: DerivedChip) -> Target:
    """Compute the facts of a derived chip from those of its base chip.

    Args:
        folder: The folder of the derived chip.
        derived: What the chip states itself.

    Raises:
        WeftError: The base chip does not exist, or is derived itself.
    """
    if derived.like not in chip_folders() or _base(derived.like):
        raise WeftError(
            f"{folder}/chip.toml: like must name a chip that is not derived",
            found=derived.like,
            accepted=[each for each in chip_folders() if not _base(each)],
        )
    base = _load_chip(derived.like)
    return replace(
        base,
        arch=int(folder.removeprefix("sm_")) if isinstance(base.arch, int) else folder,
        description=derived.description,
        llvm_cpu=derived.llvm_cpu,
        llvm_features=derived.llvm_features or base.llvm_features,
        vector_registers=derived.vector_registers or base.vector_registers,
        vector_register_granularity=(
            derived.vector_register_granularity or base.vector_register_granularity
        ),
    )
