"""Bench: a kernel and its baselines over a range of sizes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from weft.errors import LaunchError
from weft.targets.boards import Board
from weft.testing.bench import Bench, measure

BOARD = Board("A", ("A",), 1000, "test", f16_giga=2_000_000)


def make(n: int):
    return (np.ones(n),)


def run(x) -> None:
    x.sum()


BASELINES = {"numpy": run, "torch": run}


def test_rates_and_limits_of_memory_on_the_cpu():
    bench = Bench(None, "n", (64, 128), make, run, BASELINES, moved=lambda n: 8 * n)
    rows = measure(bench, None, 0.1)
    assert [row.size for row in rows] == [64, 128]
    assert list(rows[0].rates) == ["weft", "numpy"]
    assert rows[0].rates["weft"] == pytest.approx(64 * 8 / rows[0].milliseconds["weft"] * 1e-6)
    assert rows[0].fraction is not None
    assert measure(bench, None, 0.1, BOARD)[0].limit == 1000
    assert bench.unit == "GB/s"


def test_rates_and_limits_of_arithmetic():
    bench = Bench(None, "n", (64,), make, run, computed=lambda n: 2 * n, operands="f16")
    assert bench.unit == "TFLOP/s"
    assert measure(bench, None, 0.1)[0].limit is None
    assert measure(bench, None, 0.1, BOARD)[0].limit == 2000
    assert measure(bench, None, 0.1)[0].fraction is None


def test_a_gpu_needs_torch(monkeypatch):
    bench = Bench(None, "n", (64,), make, run, BASELINES, moved=lambda n: 8 * n)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(LaunchError, match="a measurement on a GPU needs torch"):
        measure(bench, 0, 0.1)
    placed = SimpleNamespace(to=lambda device: np.ones(3))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=lambda array: placed))
    (row,) = measure(bench, 0, 0.1)
    assert list(row.rates) == ["weft", "torch"]
    assert row.limit is None


def test_a_bench_needs_bytes_or_operations():
    with pytest.raises(LaunchError, match="a Bench needs `moved` or `computed`"):
        measure(Bench(None, "n", (64,), make, run), None, 0.1)
