"""Functions of ROCm's OCML; `math_library` lists them."""

from __future__ import annotations

from weft.language.extra.math_library import FUNCTIONS, lazy_declarations

__getattr__ = lazy_declarations("extra.hip.libdevice")


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)
