"""Functions of the math library of the target at hand; see `mathlib` for the list."""

from __future__ import annotations

from weft.language.extra.mathlib import FUNCTIONS, declarations

__getattr__ = declarations("extra.libdevice")


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)
