"""Find a chip by any of the names people use for it.

`target("hip:gfx942")`, `target("gfx942")`, `target("cuda:90")`, `target("sm_90")` and
`target("cuda:sm90")` all work; a chip without a file is an error that lists those with one.
"""

from __future__ import annotations

import re
from functools import cache

from weft.errors import UnknownTargetError, did_you_mean
from weft.targets.facts import Target, read
from weft.targets.files import chips_in, read_file

__all__ = ["known", "target"]

_SM = re.compile(r"^(?:cuda:)?(?:sm_?)?(\d+)$")


@cache
def _chip(file: str) -> Target:
    return read(read_file("chips", file), f"{file}.toml")


@cache
def known() -> tuple[str, ...]:
    """Return the full names of the chips that have a file."""
    chips = [_chip(file) for file in chips_in("chips")]
    chips.sort(key=lambda chip: (chip.backend, len(str(chip.arch)), str(chip.arch)))
    return tuple(chip.name for chip in chips)


@cache
def target(name: str) -> Target:
    """Return the facts of a chip.

    Args: name: such as "hip:gfx942", "gfx942", "cuda:90", "sm_90" or "cpu".
    Raises: UnknownTargetError with the known names, the nearest first in the hint.
    """
    match = _SM.match(name)
    spelled = f"cuda:{match[1]}" if match else name
    file = f"sm_{match[1]}" if match else name.removeprefix("hip:")
    if file in chips_in("chips") and (match is not None or not file.startswith("sm_")):
        return _chip(file)  # only its own file is read
    raise UnknownTargetError(
        f"unknown target {name}",
        found=name,
        accepted=known(),
        hint=did_you_mean(spelled, known()) or did_you_mean(f"hip:{spelled}", known()),
    )
