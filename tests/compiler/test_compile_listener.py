"""The listener of compilations: its arguments, and the times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.compiler.gpu_target import GPUTarget


@weft.jit
def fill(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 1.0)


@pytest.fixture
def calls(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    calls: list[dict[str, Any]] = []
    with knobs.compilation.scope():
        knobs.compilation.listener = lambda **call: calls.append(call)
        yield calls
    weft.jit(fill.fn)[(1,)](np.zeros(4, np.float32), 4)  # the scope has ended


def test_a_gpu(calls, monkeypatch):
    FakeCuda(monkeypatch)
    weft.jit(fill.fn)[(1,)](Tensor(), 32)
    (call,) = calls
    assert (call["src"].name, call["src"].constants) == ("fill", {(1,): 32})
    assert call["metadata"]["target"] == GPUTarget("cuda", 90, 32)
    assert call["metadata"]["num_warps"] == 4
    assert call["metadata"]["hash"]
    times = call["times"]
    assert [stage for stage, _ in times.lowering_stages][:3] == ["ttir", "ttgir", "llir"]
    assert min(times.ir_initialization, times.total_lowering, times.store_results) > 0
    assert not call["cache_hit"]
    weft.jit(fill.fn)[(1,)](Tensor(), 32)
    _, call = calls
    assert call["cache_hit"]
    assert call["times"].ir_initialization == call["times"].total > 0


def test_the_cpu_device(calls):
    weft.jit(fill.fn)[(1,)](np.zeros(4, np.float32), 4)
    (call,) = calls
    assert call["metadata"]["target"].backend == "cpu"
    assert len(call["metadata"]["hash"]) == 64
    assert [stage for stage, _ in call["times"].lowering_stages] == ["ttir"]
    assert not call["cache_hit"]
