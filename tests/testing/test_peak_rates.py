"""Peak rates of a GPU from what its driver reports."""

from __future__ import annotations

import pytest

import weft.language as tl
from tests.launch.fake_cuda import FakeCuda
from tests.launch.fake_hip import FakeHip
from weft.errors import LaunchError
from weft.launch.drivers.active import active_driver
from weft.testing import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi


def test_rates_of_a_gpu(monkeypatch):
    FakeCuda(monkeypatch, devices=1)
    properties = active_driver().properties(0)
    bits = properties.memory_clock_khz * properties.memory_bus_bits * 1000 * 2
    assert get_dram_gbps(0) == pytest.approx(bits / 8 / 1e9)
    per_clock = properties.multiprocessors * 4 * 1e-9
    assert get_max_tensorcore_tflops(tl.float16, 1000, 0) == pytest.approx(512_000 * per_clock)
    assert get_max_tensorcore_tflops("torch.int8", 1000, 0) == pytest.approx(1024_000 * per_clock)
    assert get_max_simd_tflops("torch.float32", 1000, 0) == pytest.approx(32_000 * per_clock)
    with pytest.raises(LaunchError, match="dtype not supported"):
        get_max_simd_tflops(tl.int8, 1000, 0)


def test_rates_are_those_of_nvidia(monkeypatch):
    FakeHip(monkeypatch, devices=1)
    for rate in (get_max_tensorcore_tflops, get_max_simd_tflops):
        with pytest.raises(LaunchError, match="the peak rates of this GPU are not known") as error:
            rate(tl.float16, 1000, 0)
        assert error.value.found == "hip:gfx942"
    assert get_dram_gbps(0) > 0


def test_there_must_be_a_gpu(monkeypatch):
    monkeypatch.setattr("weft.testing.peak_rates.current_gpu", lambda initialized_only: None)
    with pytest.raises(LaunchError, match="there is no GPU to query"):
        get_dram_gbps()


def test_nvidia_smi_is_queried(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\necho "1980, 700"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert nvsmi(["clocks.max.sm", "power.limit"]) == [1980, 700]
    program.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(LaunchError, match="nvidia-smi cannot query the GPU"):
        nvsmi(["clocks.max.sm"])
