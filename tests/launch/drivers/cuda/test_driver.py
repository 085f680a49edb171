"""What is said where there is no GPU, or no driver."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest

from weft.errors import LaunchError
from weft.launch.drivers.cuda.driver import CudaDriver


@pytest.fixture(autouse=True)
def _fresh_driver():
    CudaDriver.get.cache_clear()
    yield
    CudaDriver.get.cache_clear()


def test_no_bindings_is_an_error_that_says_what_to_install(monkeypatch):
    def missing(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(LaunchError, match="Python bindings are missing") as caught:
        CudaDriver.get()
    assert "pip install weft[gpu]" in str(caught.value)


def test_no_driver_is_an_error_with_what_the_bindings_say(monkeypatch):
    def absent(flags: int):
        raise RuntimeError("libcuda.so was not found")

    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(cuInit=absent))
    with pytest.raises(LaunchError, match="no CUDA driver on this machine") as caught:
        CudaDriver.get()
    assert "libcuda.so was not found" in str(caught.value)


def test_what_the_driver_refuses_is_an_error_with_its_words(monkeypatch):
    codes = SimpleNamespace(CUDA_SUCCESS=0)
    refused = SimpleNamespace(name="CUDA_ERROR_NO_DEVICE")
    api = SimpleNamespace(
        CUresult=codes,
        cuInit=lambda flags: (refused,),
        cuGetErrorString=lambda code: (0, b"no CUDA-capable device is detected"),
    )
    monkeypatch.setattr(importlib, "import_module", lambda name: api)
    with pytest.raises(LaunchError, match="no CUDA-capable device is detected"):
        CudaDriver.get()
