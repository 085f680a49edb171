"""Find a chip by any of the names people use for it.

`target("hip:gfx942")`, `target("gfx942")`, `target("cuda:90")`, `target("sm_90")` and
`target("cuda:sm90")` all work. A chip that is like another, `target("gfx1200")`, has the facts of
that one (siblings.py); any other is an error that lists those there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from weft.errors import UnknownTargetError, did_you_mean
from weft.targets.facts import Target, read
from weft.targets.files import chips_in, tables_in
from weft.targets.siblings import Sibling, sibling, siblings

__all__ = ["alike", "known", "target"]

_SM = re.compile(r"^(?:cuda:)?(?:sm_?)?(\d+)$")


@cache
def _chip(file: str) -> Target:
    return read(tables_in("chips", file), f"{file}.toml")


def _like(row: Sibling) -> Target:
    """Return a chip's facts from those of the chip that it is like."""
    chip = _chip(row.like)
    arch = int(row.name.removeprefix("sm_")) if isinstance(chip.arch, int) else row.name
    return replace(
        chip,
        arch=arch,
        description=row.description,
        llvm_cpu=row.llvm_cpu,
        llvm_features=row.llvm_features or chip.llvm_features,
    )


@cache
def known() -> tuple[str, ...]:
    """Return the full names of the chips that have a file."""
    return _names(_chip(file) for file in chips_in("chips"))


@cache
def alike() -> tuple[str, ...]:
    """Return the full names of the chips that are like one with a file."""
    return _names(map(_like, siblings()))


def _names(chips: Iterable[Target]) -> tuple[str, ...]:
    ordered = sorted(chips, key=lambda each: (each.backend, len(str(each.arch)), str(each.arch)))
    return tuple(chip.name for chip in ordered)


@cache
def target(name: str) -> Target:
    """Return the facts of a chip.

    Args: name: such as "hip:gfx942", "gfx942", "cuda:90", "sm_90" or "cpu".
    Raises: UnknownTargetError with the known names, the nearest first in the hint.
    """
    match = _SM.match(name)
    spelled = f"cuda:{match[1]}" if match else name
    file = f"sm_{match[1]}" if match else name.removeprefix("hip:")
    if match is not None or not file.startswith("sm_"):
        if file in chips_in("chips"):
            return _chip(file)  # only its own file is read
        row = sibling(file)
        if row is not None:
            return _like(row)
    every = (*known(), *alike())
    raise UnknownTargetError(
        f"unknown target {name}",
        found=name,
        accepted=every,
        hint=did_you_mean(spelled, every) or did_you_mean(f"hip:{spelled}", every),
    )
