"""Which GPU a launch goes to, and what is said where there is none."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

from weft.errors import LaunchError
from weft.runtime.drivers.cuda import CudaDriver
from weft.runtime.gpu import gpu_of


class Tensor:
    """An array on a device, as torch's are."""

    dtype = "torch.float32"

    def __init__(self, device: str, index: int | None = None) -> None:
        self.device = SimpleNamespace(type=device, index=index)

    def data_ptr(self) -> int:
        return 64


def test_arrays_of_the_cpu_are_on_no_gpu():
    assert gpu_of({"x": np.zeros(3), "n": 3}) is None
    assert gpu_of({"x": Tensor("cpu")}) is None


def test_the_gpu_of_the_arrays_is_the_gpu_of_the_launch():
    assert gpu_of({"x": Tensor("cuda", 1), "n": 3, "y": (Tensor("cuda", 1), 2)}) == 1
    assert gpu_of({"x": Tensor("cuda")}) == 0


def test_arrays_on_two_devices_are_an_error_that_names_both():
    with pytest.raises(LaunchError, match="on one device") as caught:
        gpu_of({"x": Tensor("cuda", 0), "y": np.zeros(3)})
    assert "x on GPU 0, y on the CPU" in str(caught.value)


def test_no_bindings_is_an_error_that_says_what_to_install(monkeypatch):
    def missing(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    CudaDriver.get.cache_clear()
    with pytest.raises(LaunchError, match="Python bindings are missing") as caught:
        CudaDriver.get()
    assert "pip install weft[gpu]" in str(caught.value)


def test_what_the_driver_refuses_is_an_error_with_its_words(monkeypatch):
    codes = SimpleNamespace(CUDA_SUCCESS=0)
    refused = SimpleNamespace(name="CUDA_ERROR_NO_DEVICE")
    api = SimpleNamespace(
        CUresult=codes,
        cuInit=lambda flags: (refused,),
        cuGetErrorString=lambda code: (0, b"no CUDA-capable device is detected"),
    )
    monkeypatch.setattr(importlib, "import_module", lambda name: api)
    CudaDriver.get.cache_clear()
    with pytest.raises(LaunchError, match="no CUDA-capable device is detected"):
        CudaDriver.get()
    CudaDriver.get.cache_clear()
