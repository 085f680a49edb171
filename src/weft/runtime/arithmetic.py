"""The two sums that every launch needs: how many tiles, and how wide a tile."""

from __future__ import annotations


def cdiv(x: int, y: int) -> int:
    """Divide and round up: the number of tiles of size `y` that cover `x` elements."""
    return -(-x // y)


def next_power_of_2(n: int) -> int:
    """Return the smallest power of two that is at least `n`; 0 for `n` = 0, as Triton's."""
    return 1 << (n - 1).bit_length() if n > 0 else 0
