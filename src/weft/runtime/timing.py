"""Wall-clock timing of a call, for autotune on the embedded CPU device."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

DEFAULT_WARMUP, DEFAULT_REP = 25, 100
_MOST_RUNS = 1000


def do_bench(
    call: Callable[[], object],
    quantiles: Sequence[float] = (0.5,),
    warmup: int = DEFAULT_WARMUP,
    rep: int = DEFAULT_REP,
) -> list[float]:
    """Time `call` again and again, after runs that compile it and fill the caches.

    Args: warmup, rep: ms to spend before and while measuring; at least one run of each is made.
    Returns: the quantiles of the times, in ms.
    """
    _repeat(call, warmup)
    times = sorted(_repeat(call, rep))
    return [times[min(int(share * len(times)), len(times) - 1)] for share in quantiles]


def _repeat(call: Callable[[], object], budget_ms: float) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + budget_ms / 1e3
    while not times or (time.perf_counter() < end and len(times) < _MOST_RUNS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return times
