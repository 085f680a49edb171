"""Errors without a GPU, a driver, or its Python bindings."""

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


def test_missing_bindings(monkeypatch):
    def missing(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(LaunchError, match="bindings of the CUDA driver are missing") as caught:
        CudaDriver.get()
    assert "pip install weft[gpu]" in str(caught.value)


def test_missing_driver(monkeypatch):
    def absent(flags: int):
        raise RuntimeError("libcuda.so was not found")

    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(cuInit=absent))
    with pytest.raises(LaunchError, match="no CUDA driver on this machine") as caught:
        CudaDriver.get()
    assert "libcuda.so was not found" in str(caught.value)


def test_error_of_the_driver(monkeypatch):
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
