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
def _chips() -> dict[str, Target]:
    chips = [read(read_file("chips", chip), f"{chip}.toml") for chip in chips_in("chips")]
    chips.sort(key=lambda chip: (chip.backend, len(str(chip.arch)), str(chip.arch)))
    return {chip.name: chip for chip in chips}


def known() -> tuple[str, ...]:
    """Return the full names of the chips that have a file."""
    return tuple(_chips())


@cache
def target(name: str) -> Target:
    """Return the facts of a chip.

    Args: name: such as "hip:gfx942", "gfx942", "cuda:90", "sm_90" or "cpu".
    Raises: UnknownTargetError with the known names, the nearest first in the hint.
    """
    chips = _chips()
    match = _SM.match(name)
    spelled = f"cuda:{match.group(1)}" if match else name
    if spelled in chips:
        return chips[spelled]
    if f"hip:{spelled}" in chips:
        return chips[f"hip:{spelled}"]
    raise UnknownTargetError(
        f"unknown target {name}",
        found=name,
        accepted=chips,
        hint=did_you_mean(spelled, chips) or did_you_mean(f"hip:{spelled}", chips),
    )
