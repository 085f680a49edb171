"""How long a call takes: by the wall clock on the CPU, by the GPU's own events there.

wall_clock(call, quantiles=(0.5,))                  # ms
on_gpu(call, 0, quantiles=(0.5, 0.2, 0.8))          # each run finds the L2 cache emptied
on_gpu(call, 0, by_graph=True)                      # many runs in one CUDA graph: no host cost
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from weft.errors import LaunchError
from weft.launch.devices import stream_of
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = ["DEFAULT_REP", "DEFAULT_WARMUP", "on_gpu", "wall_clock"]

DEFAULT_WARMUP, DEFAULT_REP = 25, 100
_MOST_RUNS = 1000
_ESTIMATE_RUNS = 5
_GRAPHS = 10  # how often a graph is measured
_SHORTEST_MS = 1e-4

Call = Callable[[], object]


def wall_clock(
    call: Call,
    quantiles: Sequence[float] | None = (0.5,),
    warmup: float = DEFAULT_WARMUP,
    rep: float = DEFAULT_REP,
    before: Call | None = None,
) -> list[float]:
    """Time `call` again and again, after runs that compile it and fill the caches.

    Args: warmup, rep: ms to spend before and while measuring; at least one run of each is made.
          before: is done ahead of each run, and not timed.
    Returns: the quantiles of the times, in ms; all times where None are asked for.
    """
    _repeat(call, warmup, before)
    return _quantiles(_repeat(call, rep, before), quantiles)


def _repeat(call: Call, budget_ms: float, before: Call | None) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + budget_ms / 1e3
    while not times or (time.perf_counter() < end and len(times) < _MOST_RUNS):
        if before is not None:
            before()
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def _quantiles(times: Sequence[float], shares: Sequence[float] | None) -> list[float]:
    ordered = sorted(times)
    if shares is None:
        return ordered
    return [ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in shares]


def on_gpu(
    call: Call,
    device: int,
    quantiles: Sequence[float] | None = (0.5,),
    warmup: float = DEFAULT_WARMUP,
    rep: float = DEFAULT_REP,
    by_graph: bool = False,
    before: Call | None = None,
) -> list[float]:
    """Time what `call` gives a GPU to do, between two events of its current stream.

    Args: warmup, rep: ms that the GPU spends before and while it is measured.
          by_graph: record the runs as a CUDA graph of torch's, and time that.
          before: is given to the GPU ahead of each run, and not timed; not with by_graph.
    Returns: the quantiles of the times, in ms; all times where None are asked for.
    Raises: LaunchError: a run fails; a graph without torch.
    """
    driver = CudaDriver.get()
    with driver.on(device):
        if before is not None:
            before()
        call()
        if by_graph:
            return _quantiles(_graph_times(driver, call, rep), quantiles)
        stream = stream_of(device, {})
        both = call if before is None else (lambda: (before(), call()))
        estimate = _spent(driver, stream, both, _ESTIMATE_RUNS) / _ESTIMATE_RUNS
        for _ in range(_runs(warmup, estimate)):
            both()
        times = _cold_times(driver, device, stream, call, before, _runs(rep, estimate))
    return _quantiles(times, quantiles)


def _runs(budget_ms: float, each_ms: float) -> int:
    return max(1, min(_MOST_RUNS, int(budget_ms / max(each_ms, _SHORTEST_MS))))


def _spent(driver: CudaDriver, stream: int, call: Call, runs: int) -> float:
    """Return the ms that the GPU takes for some runs one after another."""
    start, end = driver.timed_event(), driver.timed_event()
    driver.record(start, stream)
    for _ in range(runs):
        call()
    driver.record(end, stream)
    return driver.elapsed_ms(start, end)


def _cold_times(
    driver: CudaDriver, device: int, stream: int, call: Call, before: Call | None, runs: int
) -> list[float]:
    """Return the ms of each of some runs, before which the L2 cache is filled with other bytes."""
    size = 2 * driver.attribute(device, "L2_CACHE_SIZE")
    other = driver.allocate(size)
    try:
        pairs = [(driver.timed_event(), driver.timed_event()) for _ in range(runs)]
        for start, end in pairs:
            if before is not None:
                before()
            driver.fill(other, size, stream)
            driver.record(start, stream)
            call()
            driver.record(end, stream)
        return [driver.elapsed_ms(start, end) for start, end in pairs]
    finally:
        driver.synchronize(stream)
        driver.free(other)


def _graph_times(driver: CudaDriver, call: Call, rep: float) -> list[float]:
    """Return the ms of a run, several times, each the mean of a graph of many runs."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        raise LaunchError(
            "timing by CUDA graphs needs torch", found="use_cuda_graph=True without torch"
        )
    with torch.cuda.stream(torch.cuda.Stream()):
        stream = torch.cuda.current_stream().cuda_stream
        estimate = _spent(driver, stream, call, _ESTIMATE_RUNS) / _ESTIMATE_RUNS
        runs, graph = _runs(rep / _GRAPHS, estimate), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(runs):
                call()
        _spent(driver, stream, graph.replay, 1)
        return [_spent(driver, stream, graph.replay, 1) / runs for _ in range(_GRAPHS)]
