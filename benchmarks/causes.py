"""Declared causes of differences between weft's code and another compiler's: data, strictly read.

causes = read_causes(text, known)
because(causes, Difference("barrier", "+", "transpose 1", "gfx1250"))    # "" if there is none
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from weft.errors import WeftError

__all__ = ["Cause", "Difference", "because", "read_causes"]

_SIGNS = {"+": "+", "-": "-", "both": "+-"}
_KEYS = {"what", "sign", "because", "kernels", "chips"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that differs: what is counted, "+" where weft has more of it, in which kernel."""

    what: str
    sign: str
    kernel: str
    chip: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Why rows differ. kernels, chips: regular expressions that are looked for in the names."""

    what: tuple[str, ...]
    sign: str
    because: str
    kernels: str = ""
    chips: str = ""

    def explains(self, difference: Difference) -> bool:
        """Tell whether the cause is one of a difference."""
        return (
            difference.what in self.what
            and difference.sign in _SIGNS[self.sign]
            and bool(re.search(self.kernels, difference.kernel))
            and bool(re.search(self.chips, difference.chip))
        )


def because(causes: tuple[Cause, ...], difference: Difference) -> str:
    """Return the first cause of a difference in words, "" if none is declared.

    One that names no kernels was not looked up in each of them, and says that it is inferred.
    """
    for one in causes:
        if one.explains(difference):
            return one.because if one.kernels else f"inferred: {one.because}"
    return ""


def read_causes(text: str, known: frozenset[str]) -> tuple[Cause, ...]:
    """Return the causes of a file.

    Args: text: TOML.  known: what is counted.
    Raises: WeftError: a key that causes have not, or something that is not counted.
    """
    found = []
    for number, given in enumerate(tomllib.loads(text)["causes"], 1):
        missing = {"what", "sign", "because"} - given.keys()
        if missing or given.keys() - _KEYS:
            raise WeftError(f"cause {number} is no cause", found=sorted(given), accepted=_KEYS)
        if given["sign"] not in _SIGNS:
            raise WeftError(f"cause {number}: no sign", found=given["sign"], accepted=_SIGNS)
        if not known.issuperset(given["what"]):
            raise WeftError(f"cause {number}: not counted", found=given["what"], accepted=known)
        found.append(Cause(**{**given, "what": tuple(given["what"])}))
    return tuple(found)
