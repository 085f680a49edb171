"""Time a call: the median of several runs after one that is not counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def milliseconds(call: Callable[[], object], runs: int = 5, warm: bool = True) -> float:
    """Return the median time of `runs` calls in ms, after one uncounted call where `warm`."""
    if warm:
        call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return median(times)


def show_ms(value: float) -> str:
    """Return ms with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
