"""The stream of a launch, and the streams that it waits for."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np

from tests.launch.fake_cuda import CudaArray, FakeCuda, Tensor
from weft.launch.argument_views import view_arguments
from weft.launch.streams import is_ready_on_current_stream, launch_stream


def test_torch_stream_waits_for_the_streams_of_other_arrays(monkeypatch):
    gpu = FakeCuda(monkeypatch, devices=2)
    gpu.streams[1] = 7
    tensor = Tensor(device=1)
    assert launch_stream(1, {"x": tensor}) == 7
    arrays = view_arguments({"x": tensor, "y": CudaArray(np.zeros(3), 1, stream=9)})
    assert launch_stream(1, arrays) == 7
    assert gpu.requests == [("record", 9), ("wait", 7)]
    assert gpu.context == 101, "a thread without a context keeps that of the GPU"


def test_launch_uses_the_stream_of_the_arrays_if_all_name_one(monkeypatch):
    FakeCuda(monkeypatch).streams[0] = 7
    one = CudaArray(np.zeros(3), 0, stream=9)
    assert launch_stream(0, view_arguments({"x": one})) == 9
    assert launch_stream(0, view_arguments({"x": CudaArray(np.zeros(3), 0)})) == 7
    assert launch_stream(0, view_arguments({"x": CudaArray(np.zeros(3), 0, stream=1)})) == 0
    assert launch_stream(0, {}) == 7
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert launch_stream(0, {}) == 0


def test_data_is_ready_without_waiting_on_its_own_and_the_default_stream(monkeypatch):
    gpu = FakeCuda(monkeypatch)
    assert is_ready_on_current_stream(None, 0)
    assert is_ready_on_current_stream(1, 0), "1 is the default stream"
    assert not is_ready_on_current_stream(12, 0)
    gpu.streams[0] = 12
    assert is_ready_on_current_stream(12, 0)
    assert not is_ready_on_current_stream(1, 0)
