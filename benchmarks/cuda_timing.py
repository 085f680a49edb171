"""Time launches on a GPU through CUDA graphs, which leave out the host's part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

__all__ = ["record", "replay_us", "time_alternately"]

ROUNDS, RECORDED_US = 31, 1500.0


def record(call: Callable[[], object], launches: int) -> torch.cuda.CUDAGraph:
    """Record some calls as a graph. The kernels must have been launched before."""
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(launches):
            call()
    return graph


def replay_us(graph: torch.cuda.CUDAGraph) -> float:
    """Replay a graph and return its µs."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3


def time_alternately(
    calls: Sequence[Callable[[], object]], rounds: int = ROUNDS, recorded_us: float = RECORDED_US
) -> list[list[float]]:
    """Return the µs of each call, round by round; the calls take turns, in both orders.

    Args:
        calls: What to time.
        rounds: The number of rounds.
        recorded_us: The time that a graph should take at least.
    """
    first = record(calls[0], 1)
    replay_us(first)
    launches = max(3, math.ceil(recorded_us / replay_us(first)))
    graphs = [record(call, launches) for call in calls]
    for graph in graphs:
        graph.replay()
    times: list[list[float]] = [[] for _ in graphs]
    for number in range(rounds):
        order = range(len(graphs)) if number % 2 else reversed(range(len(graphs)))
        for index in order:
            times[index].append(replay_us(graphs[index]) / launches)
    return times
