"""Time a call: by the wall clock for the CPU, by events of the stream on a GPU.

time_on_cpu(call, quantiles=(0.5,))                     # [median], in ms
time_on_gpu(call, 0, quantiles=(0.5, 0.2, 0.8))         # each run starts with a cold L2 cache
time_on_gpu(call, 0, use_cuda_graph=True)               # without the host's launch overhead
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from weft.errors import LaunchError
from weft.launch.drivers.active import active_driver
from weft.launch.drivers.gpu_driver import GpuDriver
from weft.launch.streams import launch_stream

__all__ = ["DEFAULT_REP", "DEFAULT_WARMUP", "time_on_cpu", "time_on_gpu"]

DEFAULT_WARMUP, DEFAULT_REP = 25, 100  # ms
_MAX_RUNS = 1000
_ESTIMATE_RUNS = 5
_GRAPH_REPLAYS = 10
_MIN_RUN_MS = 1e-4

Call = Callable[[], object]


def time_on_cpu(
    call: Call,
    quantiles: Sequence[float] | None = (0.5,),
    warmup: float = DEFAULT_WARMUP,
    rep: float = DEFAULT_REP,
    setup: Call | None = None,
) -> list[float]:
    """Time a call by the wall clock, after runs that compile it and warm the caches.

    Args:
        call: The call.
        quantiles: The quantiles to compute; None for all times.
        warmup: ms to spend before measuring; at least one run is made.
        rep: ms to spend measuring; at least one run is made.
        setup: Called before each run, and not timed.

    Returns:
        The quantiles, or all times in ascending order, in ms.
    """
    _time_runs(call, warmup, setup)
    return _quantiles(_time_runs(call, rep, setup), quantiles)


def _time_runs(call: Call, budget_ms: float, setup: Call | None) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + budget_ms / 1e3
    while not times or (time.perf_counter() < end and len(times) < _MAX_RUNS):
        if setup is not None:
            setup()
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def _quantiles(times: Sequence[float], quantiles: Sequence[float] | None) -> list[float]:
    ordered = sorted(times)
    if quantiles is None:
        return ordered
    return [ordered[min(int(each * len(ordered)), len(ordered) - 1)] for each in quantiles]


def time_on_gpu(
    call: Call,
    gpu: int,
    quantiles: Sequence[float] | None = (0.5,),
    warmup: float = DEFAULT_WARMUP,
    rep: float = DEFAULT_REP,
    use_cuda_graph: bool = False,
    setup: Call | None = None,
) -> list[float]:
    """Time the work that a call launches, between two events on the GPU's current stream.

    Args:
        call: The call.
        gpu: The number of the GPU.
        quantiles: The quantiles to compute; None for all times.
        warmup: ms that the GPU spends before measuring.
        rep: ms that the GPU spends measuring.
        use_cuda_graph: Capture many runs in a CUDA graph of torch, and time its replay.
        setup: Called before each run, and not timed; not with use_cuda_graph.

    Returns:
        The quantiles, or all times in ascending order, in ms.

    Raises:
        LaunchError: A run fails, or CUDA graphs without torch.
    """
    driver = active_driver()
    with driver.context(gpu):
        if setup is not None:
            setup()
        call()
        if use_cuda_graph:
            return _quantiles(_time_graph(driver, call, rep), quantiles)
        stream = launch_stream(gpu, {})
        run = call if setup is None else (lambda: (setup(), call()))
        estimate = _elapsed_ms(driver, stream, run, _ESTIMATE_RUNS) / _ESTIMATE_RUNS
        for _ in range(_run_count(warmup, estimate)):
            run()
        times = _time_cold_runs(driver, gpu, stream, call, setup, _run_count(rep, estimate))
    return _quantiles(times, quantiles)


def _run_count(budget_ms: float, run_ms: float) -> int:
    return max(1, min(_MAX_RUNS, int(budget_ms / max(run_ms, _MIN_RUN_MS))))


def _elapsed_ms(driver: GpuDriver, stream: int, call: Call, runs: int) -> float:
    """Time some runs together, in ms."""
    start, end = driver.create_event(), driver.create_event()
    driver.record(start, stream)
    for _ in range(runs):
        call()
    driver.record(end, stream)
    return driver.elapsed_ms(start, end)


def _time_cold_runs(
    driver: GpuDriver, gpu: int, stream: int, call: Call, setup: Call | None, runs: int
) -> list[float]:
    """Time each of some runs in ms, with the L2 cache evicted before each."""
    size = 2 * driver.properties(gpu).l2_bytes
    buffer = driver.allocate(size)
    try:
        events = [(driver.create_event(), driver.create_event()) for _ in range(runs)]
        for start, end in events:
            if setup is not None:
                setup()
            driver.clear(buffer, size, stream)
            driver.record(start, stream)
            call()
            driver.record(end, stream)
        return [driver.elapsed_ms(start, end) for start, end in events]
    finally:
        driver.synchronize(stream)
        driver.free(buffer)


def _time_graph(driver: GpuDriver, call: Call, rep: float) -> list[float]:
    """Time the replays of a CUDA graph of many runs; each time is the mean of its runs, in ms."""
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError(
            "timing by CUDA graphs needs torch", found="use_cuda_graph=True without torch"
        )
    with torch.cuda.stream(torch.cuda.Stream()):  # capture needs a stream other than the default
        stream = torch.cuda.current_stream().cuda_stream
        estimate = _elapsed_ms(driver, stream, call, _ESTIMATE_RUNS) / _ESTIMATE_RUNS
        runs, graph = _run_count(rep / _GRAPH_REPLAYS, estimate), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(runs):
                call()
        _elapsed_ms(driver, stream, graph.replay, 1)
        return [_elapsed_ms(driver, stream, graph.replay, 1) / runs for _ in range(_GRAPH_REPLAYS)]
