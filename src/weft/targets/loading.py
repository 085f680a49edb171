"""Find and parse the TOML files of a chip, chips/<folder>/<kind>.toml.

    chip_folders()                                    # ("cpu", "gfx1100", …, "sm_90")
    chip_folder("cuda:90")                            # "sm_90"
    load_tables("tensor_cores", "sm_90")              # the parsed chips/sm_90/tensor_cores.toml
    load_kind("tensor_cores", "cuda:103", …)          # that of sm_100, which sm_103 is like

A compile reads only the files that it asks for, each once per process.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from weft.errors import UnknownTargetError, did_you_mean
from weft.targets.derived import base_folder
from weft.targets.schema import Tables, parse_toml

__all__ = [
    "chip_file",
    "chip_folder",
    "chip_folders",
    "folders_with",
    "load_kind",
    "load_tables",
    "target_name",
]

_CHIPS = Path(__file__).parent / "chips"


@cache
def chip_folders() -> tuple[str, ...]:
    """List the folders of all chips in alphabetical order."""
    with os.scandir(_CHIPS) as entries:
        return tuple(sorted(entry.name for entry in entries if entry.is_dir()))


def chip_folder(name: str) -> str:
    """Compute the folder of a target: "sm_90" for "cuda:90", "gfx942" for "hip:gfx942"."""
    backend, _, arch = name.rpartition(":")
    return f"sm_{arch}" if backend == "cuda" else arch


def target_name(folder: str) -> str:
    """Compute the name that a module has for a chip: "cuda:90" for "sm_90"."""
    if folder.startswith("sm_"):
        return folder.replace("sm_", "cuda:")
    return f"hip:{folder}" if folder.startswith("gfx") else folder


def chip_file(kind: str, folder: str) -> Path:
    """Compute the path of a chip's file, which need not exist."""
    return _CHIPS / folder / f"{kind}.toml"


def folders_with(kind: str) -> tuple[str, ...]:
    """List the chips that have a file of a kind, such as "tensor_cores"."""
    return tuple(folder for folder in chip_folders() if chip_file(kind, folder).is_file())


def load_tables(kind: str, folder: str) -> Tables:
    """Parse an existing file of a chip.

    Raises:
        WeftError: The file is not valid TOML.
    """
    return parse_toml(chip_file(kind, folder).read_text("utf-8"), f"{folder}/{kind}.toml")


def load_kind(kind: str, name: str, description: str) -> Tables:
    """Parse a file of a chip, or that of the chip it is derived from.

    Args:
        kind: Name of the file without its ending, such as "tensor_cores".
        name: Name of the target, "cuda:90", "hip:gfx942" or "gfx942".
        description: What the file lists, for messages: "tensor cores".

    Raises:
        UnknownTargetError: Neither chip has such a file.
    """
    folder = chip_folder(name)
    if folder in chip_folders():
        if chip_file(kind, folder).is_file():
            return load_tables(kind, folder)
        base = base_folder(load_tables("chip", folder), folder)
        if base is not None and chip_file(kind, base).is_file():
            return load_tables(kind, base)
    accepted = [target_name(each) for each in folders_with(kind)]
    raise UnknownTargetError(
        f"no {description} are listed for {f'target {name}' if name else 'an unnamed target'}",
        found=name,
        accepted=accepted,
        hint=did_you_mean(target_name(folder), accepted),
    )
