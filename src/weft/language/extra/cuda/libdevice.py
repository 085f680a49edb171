"""Functions of CUDA's libdevice, whatever the target; see `mathlib` for the list."""

from __future__ import annotations

from weft.language.extra.mathlib import FUNCTIONS, declarations

__getattr__ = declarations("extra.cuda.libdevice")


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)
