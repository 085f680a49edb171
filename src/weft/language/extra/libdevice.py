"""Functions of the target's math library; `math_library` lists them."""

from __future__ import annotations

from weft.language.extra.math_library import FUNCTIONS, lazy_declarations

__getattr__ = lazy_declarations("extra.libdevice")


def __dir__() -> list[str]:
    return sorted(FUNCTIONS)
