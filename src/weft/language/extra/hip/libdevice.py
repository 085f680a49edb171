"""Functions of ROCm's ocml, whatever the target; see `mathlib` for the list."""

from __future__ import annotations

from weft.language.extra.mathlib import FUNCTIONS, declarations

__getattr__ = declarations("extra.hip.libdevice")


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)
