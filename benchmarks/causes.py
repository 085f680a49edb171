"""Declared causes of differences between weft's code and another compiler's.

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
    """A count that differs.

    Attributes:
        what: what is counted.
        sign: "+" if weft has more, "-" if it has fewer.
        kernel: the kernel.
        chip: the chip.
    """

    what: str
    sign: str
    kernel: str
    chip: str


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of differences.

    Attributes:
        what: the counts that it explains.
        sign: "+", "-" or "both".
        because: the explanation.
        kernels: regular expression to search in kernel names; "" for all.
        chips: regular expression to search in chip names; "" for all.
    """

    what: tuple[str, ...]
    sign: str
    because: str
    kernels: str = ""
    chips: str = ""

    def explains(self, difference: Difference) -> bool:
        """Check whether the cause explains a difference."""
        return (
            difference.what in self.what
            and difference.sign in _SIGNS[self.sign]
            and bool(re.search(self.kernels, difference.kernel))
            and bool(re.search(self.chips, difference.chip))
        )


def because(causes: tuple[Cause, ...], difference: Difference) -> str:
    """Return the first cause that explains a difference; "" if there is none.

    A cause without kernel names was not checked in each kernel, so it is marked as inferred.
    """
    for cause in causes:
        if cause.explains(difference):
            return cause.because if cause.kernels else f"inferred: {cause.because}"
    return ""


def read_causes(text: str, known: frozenset[str]) -> tuple[Cause, ...]:
    """Parse a file of causes.

    Args:
        text: TOML.
        known: the names of all counts.
    Raises: WeftError: an unknown key, sign or count.
    """
    causes = []
    for number, entry in enumerate(tomllib.loads(text)["causes"], 1):
        missing = {"what", "sign", "because"} - entry.keys()
        if missing or entry.keys() - _KEYS:
            raise WeftError(
                f"cause {number}: unknown or missing keys", found=sorted(entry), accepted=_KEYS
            )
        if entry["sign"] not in _SIGNS:
            raise WeftError(f"cause {number}: unknown sign", found=entry["sign"], accepted=_SIGNS)
        if not known.issuperset(entry["what"]):
            raise WeftError(f"cause {number}: unknown count", found=entry["what"], accepted=known)
        causes.append(Cause(**{**entry, "what": tuple(entry["what"])}))
    return tuple(causes)
