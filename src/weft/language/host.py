"""What `triton` itself offers to a kernel, under the name `triton`: the language and small sums.

For example:

    triton.cdiv(x, 128)    triton.next_power_of_2(n)    triton.language
"""

from __future__ import annotations

import weft.language as language
from weft.language.constexpr import constexpr_function

__all__ = ["cdiv", "language", "next_power_of_2"]


@constexpr_function
def cdiv(x, y):
    """Return x / y rounded up, for constants."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n):
    """Return the smallest power of 2 that is not below the constant `n`."""
    return 1 << (n - 1).bit_length() if n > 0 else 0
