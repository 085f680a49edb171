"""Which device a launch runs on, in which stream, and what is said where there is no such."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.launch.fake_cuda import CudaArray, FakeCuda
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, gpu_of, opened, stream_of


class Tensor:
    """An array on a device, as torch's are."""

    dtype = "torch.float32"

    def __init__(self, device: str, index: int | None = None, pinned: bool = False) -> None:
        self.device = SimpleNamespace(type=device, index=index)
        self.pinned = pinned

    def data_ptr(self) -> int:
        return 64

    def is_pinned(self) -> bool:
        return self.pinned


def test_arrays_of_the_cpu_are_on_no_gpu():
    assert gpu_of({"x": np.zeros(3), "n": 3}) is None
    assert gpu_of({"x": Tensor("cpu")}) is None
    assert gpu_of({"x": Tensor("cpu", pinned=True)}) is None


def test_the_gpu_of_the_arrays_is_the_gpu_of_the_launch():
    assert gpu_of({"x": Tensor("cuda", 1), "n": 3, "y": (Tensor("cuda", 1), 2)}) == 1
    assert gpu_of({"x": Tensor("cuda")}) == 0
    base = SimpleNamespace(base=Tensor("cuda", 1), shape=[4], strides=[1], block_shape=[4])
    assert gpu_of({"d": base}) == 1


def test_pinned_memory_of_the_host_goes_with_any_gpu():
    assert gpu_of({"x": Tensor("cuda", 1), "y": Tensor("cpu", pinned=True)}) == 1


@pytest.mark.parametrize(
    ("other", "place"),
    [(np.zeros(3), "the CPU"), (Tensor("cpu"), "the CPU"), (Tensor("cuda", 2), "GPU 2")],
)
def test_arrays_on_two_devices_are_an_error_that_names_both(other, place):
    with pytest.raises(LaunchError, match="on one device") as caught:
        gpu_of({"x": Tensor("cuda", 0), "y": other})
    assert f"x on GPU 0, y on {place}" in str(caught.value)
    assert 'y.to("cuda:0")' in str(caught.value)


def test_other_devices_are_refused_by_the_parameter_s_name(monkeypatch):
    with pytest.raises(LaunchError, match="parameter y is on a device that weft cannot"):
        gpu_of({"y": Tensor("mps", 0)})
    rocm = SimpleNamespace(version=SimpleNamespace(hip="6.4"))
    monkeypatch.setitem(sys.modules, "torch", rocm)
    with pytest.raises(LaunchError, match="parameter y") as caught:
        gpu_of({"y": Tensor("cuda", 0)})
    assert "an array on hip" in str(caught.value)


def test_the_current_gpu_is_torch_s(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert current_gpu() is None
    gpu = FakeCuda(monkeypatch, devices=2)
    gpu.torch_device = 1
    assert current_gpu() == 1
    sys.modules["torch"].cuda.is_initialized = lambda: False
    assert current_gpu() is None
    assert current_gpu(used=False) == 1


def test_torch_s_stream_is_taken_and_waits_for_others(monkeypatch):
    gpu = FakeCuda(monkeypatch, devices=2)
    gpu.streams[1] = 7
    tensor = Tensor("cuda", 1)
    assert stream_of(1, {"x": tensor}) == 7
    arrays = opened({"x": tensor, "y": CudaArray(np.zeros(3), 1, stream=9)})
    assert stream_of(1, arrays) == 7
    assert gpu.asked == [("record", 9), ("wait", 7)]
    assert gpu.context == 101, "a thread that had no context keeps the one it was given"


def test_without_torch_s_tensors_the_arrays_own_stream_is_taken(monkeypatch):
    FakeCuda(monkeypatch).streams[0] = 7
    one = CudaArray(np.zeros(3), 0, stream=9)
    assert stream_of(0, opened({"x": one})) == 9
    assert stream_of(0, opened({"x": CudaArray(np.zeros(3), 0)})) == 7
    assert stream_of(0, opened({"x": CudaArray(np.zeros(3), 0, stream=1)})) == 0
    assert stream_of(0, {}) == 7
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert stream_of(0, {}) == 0
