"""The names of module `triton` that a kernel may use: `triton.cdiv`, `triton.language`, …"""

from __future__ import annotations

import weft.language as language
from weft.language.constexpr import constexpr_function

__all__ = ["cdiv", "language", "next_power_of_2"]


@constexpr_function
def cdiv(x, y):
    """Return x / y rounded up, for compile-time constants."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n):
    """Return the smallest power of 2 that is at least the compile-time constant `n`."""
    return 1 << (n - 1).bit_length() if n > 0 else 0
