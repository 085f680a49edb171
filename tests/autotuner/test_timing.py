"""Time calls on the CPU and on a GPU."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tests.launch.fake_cuda import FakeCuda
from weft.autotuner.timing import time_on_cpu, time_on_gpu
from weft.errors import LaunchError


@pytest.fixture
def gpu(monkeypatch) -> FakeCuda:
    return FakeCuda(monkeypatch)


def test_quantiles_on_the_cpu():
    times = time_on_cpu(lambda: None, None, warmup=0, rep=1)
    assert times == sorted(times)
    assert len(time_on_cpu(lambda: None, (0.5, 0.2, 0.8), warmup=0, rep=0)) == 3


def test_setup_runs_before_every_run_and_is_not_timed(gpu):
    calls: list[str] = []
    run, setup = (lambda: calls.append("run")), (lambda: calls.append("setup"))
    for time in (
        lambda: time_on_cpu(run, (0.5,), 0, 0, setup),
        lambda: time_on_gpu(run, 0, (0.5,), 0, 0, False, setup),
    ):
        calls.clear()
        time()
        assert calls[::2] == ["setup"] * (len(calls) // 2)
        assert calls[1::2] == ["run"] * (len(calls) // 2)


def test_number_of_runs_follows_from_the_budget(gpu):
    runs: list[int] = []
    driver_time = SimpleNamespace(ms=1.0)
    gpu.time_of = lambda: driver_time.ms

    def call() -> None:
        gpu.clock += driver_time.ms
        runs.append(1)

    for ms, expected in (
        (1.0, 1 + 5 + 10 + 40),
        (100.0, 1 + 5 + 1 + 1),
        (1e-9, 1 + 5 + 1000 + 1000),
    ):
        driver_time.ms = ms
        runs.clear()
        assert time_on_gpu(call, 0, warmup=10, rep=40) == [pytest.approx(ms, abs=1e-6)]
        assert len(runs) == expected


def test_cuda_graphs(gpu, monkeypatch):
    recorded: list[str] = []

    class Context:
        cuda_stream = 7

        def __init__(self, *arguments: object) -> None:
            recorded.append(f"{len(arguments)}")

        def __enter__(self) -> None:
            recorded.append("in")

        def __exit__(self, *error: object) -> None:
            recorded.append("out")

    class Graph:
        def replay(self) -> None:
            gpu.clock += 50.0
            recorded.append("replay")

    for name, value in {
        "stream": Context, "Stream": Context, "graph": Context, "CUDAGraph": Graph,
        "current_stream": Context,
    }.items():  # fmt: skip
        setattr(sys.modules["torch"].cuda, name, value)
    gpu.time_of = lambda: 2.0
    calls: list[int] = []

    def call() -> None:
        calls.append(1)
        gpu.clock += 2.0

    assert time_on_gpu(call, 0, rep=100, use_cuda_graph=True) == [50.0 / 5]
    assert recorded.count("replay") == 11
    assert len(calls) == 1 + 5 + 5
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(LaunchError, match="timing by CUDA graphs needs torch"):
        time_on_gpu(call, 0, use_cuda_graph=True)
