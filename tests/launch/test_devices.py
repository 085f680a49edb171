"""The device of a launch follows from its arrays."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.launch.fake_cuda import FakeCuda
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, current_target, gpu_of_arrays


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


def test_host_arrays_have_no_gpu():
    assert gpu_of_arrays({"x": np.zeros(3), "n": 3}) is None
    assert gpu_of_arrays({"x": Tensor("cpu")}) is None
    assert gpu_of_arrays({"x": Tensor("cpu", pinned=True)}) is None


def test_the_arrays_determine_the_gpu():
    assert gpu_of_arrays({"x": Tensor("cuda", 1), "n": 3, "y": (Tensor("cuda", 1), 2)}) == 1
    assert gpu_of_arrays({"x": Tensor("cuda")}) == 0
    base = SimpleNamespace(base=Tensor("cuda", 1), shape=[4], strides=[1], block_shape=[4])
    assert gpu_of_arrays({"d": base}) == 1


def test_pinned_memory_is_accessible_from_every_gpu():
    assert gpu_of_arrays({"x": Tensor("cuda", 1), "y": Tensor("cpu", pinned=True)}) == 1


@pytest.mark.parametrize(
    ("other", "place"),
    [(np.zeros(3), "the CPU"), (Tensor("cpu"), "the CPU"), (Tensor("cuda", 2), "GPU 2")],
)
def test_arrays_on_two_devices_are_an_error(other, place):
    with pytest.raises(LaunchError, match="Pointer argument y cannot be accessed") as caught:
        gpu_of_arrays({"x": Tensor("cuda", 0), "y": other})
    assert f"x on GPU 0, y on {place}" in str(caught.value)
    assert 'y.to("cuda:0")' in str(caught.value)


def test_unsupported_devices_are_an_error():
    with pytest.raises(LaunchError, match="cannot launch kernels on the device of parameter y"):
        gpu_of_arrays({"y": Tensor("mps", 0)})


def test_current_gpu_is_that_of_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert current_gpu() is None
    gpu = FakeCuda(monkeypatch, devices=2)
    gpu.torch_device = 1
    assert current_gpu() == 1
    sys.modules["torch"].cuda.is_initialized = lambda: False
    assert current_gpu() is None
    assert current_gpu(initialized_only=False) == 1


def test_current_target_is_that_of_the_gpu_or_the_cpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert str(current_target()) == "cpu"
    FakeCuda(monkeypatch, capability=80)
    assert str(current_target()) == "cuda:80"
