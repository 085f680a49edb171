"""do_bench and assert_close, with Triton's interface."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.launch.fake_cuda import FakeCuda
from weft.errors import LaunchError
from weft.testing import assert_close, do_bench, do_bench_cudagraph


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_return_modes(mode):
    assert do_bench(lambda: None, 0, 1, return_mode=mode) >= 0


def test_all_times_and_quantiles():
    times = do_bench(lambda: None, 0, 1, return_mode="all")
    assert times == sorted(times)
    assert len(do_bench(lambda: None, 0, 0, quantiles=(0.5, 0.2, 0.8))) == 3
    assert isinstance(do_bench(lambda: None, 0, 0, quantiles=[0.5]), float)
    assert isinstance(do_bench_cudagraph(lambda: None, 0), float)


def test_gradients_are_dropped_before_each_run():
    tensor, gradients = SimpleNamespace(grad=1), []

    def call() -> None:
        gradients.append(tensor.grad)
        tensor.grad = 1

    do_bench(call, 0, 0, grad_to_none=[tensor])
    assert set(gradients) == {None}


def test_a_gpu_is_timed_by_events(monkeypatch):
    gpu = FakeCuda(monkeypatch)

    def call() -> None:
        gpu.clock += 2.0

    assert do_bench(call, 4, 4, return_mode="max") == 2.0


def test_unknown_return_mode():
    with pytest.raises(LaunchError, match="unknown return_mode"):
        do_bench(lambda: None, return_mode="sum")


def test_assert_close():
    assert_close(np.array([1.0, np.nan]), [1.005, np.nan])
    with pytest.raises(AssertionError, match="two results"):
        assert_close(np.ones(2), np.zeros(2), rtol=0.5, err_msg="two results")
