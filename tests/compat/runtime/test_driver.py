"""`triton.runtime.driver.active`."""

from __future__ import annotations

import importlib
import os
import sys
from types import SimpleNamespace

import pytest

from tests.launch.fake_cuda import FakeCuda
from weft.compat import test_support
from weft.compat.backends.compiler import GPUTarget
from weft.compat.runtime import driver
from weft.compat.runtime.driver import DriverConfig, active
from weft.errors import LaunchError


@pytest.fixture
def no_gpu(monkeypatch) -> SimpleNamespace:
    cuda = SimpleNamespace(is_available=lambda: False, is_initialized=lambda: False)
    torch = SimpleNamespace(cuda=cuda, cpu="torch.cpu", device=lambda *name: name)
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def test_without_a_gpu(no_gpu):
    assert active.get_current_device() == 0
    assert active.get_current_target() == GPUTarget("cpu", "cpu", 1)
    assert str(active.get_current_target()) == "cpu"
    assert active.get_active_torch_device() == ("cpu",)
    assert active.get_device_interface() == "torch.cpu"
    properties = active.utils.get_device_properties()
    assert (properties["warpSize"], properties["multiprocessor_count"]) == (1, os.cpu_count())
    assert properties["max_shared_mem"] == 1 << 20


def test_with_a_gpu(monkeypatch):
    gpu = FakeCuda(monkeypatch, devices=2)
    gpu.torch_device = 1
    torch = sys.modules["torch"]
    monkeypatch.setattr(torch, "device", lambda *name: name, raising=False)
    assert active.get_current_device() == 1
    assert str(active.get_current_target()) == "cuda:90"
    assert active.get_active_torch_device() == ("cuda", 1)
    assert active.get_device_interface() is torch.cuda


def test_a_torch_device_needs_torch(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(LaunchError, match="a torch device needs torch"):
        active.get_active_torch_device()


def test_a_configuration_of_its_own():
    config, other = DriverConfig(), SimpleNamespace()
    assert config.active is config.default is active
    config.set_active(other)  # pyright: ignore[reportArgumentType]
    assert config.active is other
    config.reset_active()
    assert config.active is active


def test_a_driver_is_created_at_its_first_use():
    first = driver.active
    try:
        importlib.reload(driver)
        assert driver._active is None
        assert driver._default is None
        assert driver.active is driver.default is not first
        with pytest.raises(AttributeError, match="no attribute 'other'"):
            _ = driver.other  # pyright: ignore[reportAttributeAccessIssue]
    finally:
        driver._default = first
        driver.reset_active()
    assert driver.active is first


def test_helpers_of_tests_ask_the_active_driver():
    other = SimpleNamespace(get_current_target=lambda: GPUTarget("hip", "gfx942", 64))
    driver.set_active(other)  # pyright: ignore[reportArgumentType]
    try:
        assert test_support.is_hip_cdna3()
        assert not test_support.is_cuda()
    finally:
        driver.reset_active()
