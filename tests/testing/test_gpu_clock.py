"""Clocks of a GPU."""

from __future__ import annotations

import pytest

from weft import testing
from weft.errors import LaunchError, UnsupportedError
from weft.testing import gpu_clock


def test_clocks_are_locked_and_reset(monkeypatch):
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(gpu_clock, "nvsmi", lambda attrs: [1350, 1215])
    monkeypatch.setattr(
        gpu_clock.subprocess, "check_output", lambda command: commands.append(tuple(command[3:]))
    )
    with testing.set_gpu_clock() as (tflops, gbps):
        assert (round(tflops, 1), round(gbps, 1)) == (298.6, 1555.2)
        assert commands[1] == ("--lock-gpu-clocks=1350,1350",)
    assert commands[-3:] == [("-pm", "0"), ("-rgc",), ("-rmc",)]
    with pytest.raises(LaunchError, match="GPU must run at 1000 MHz"), testing.set_gpu_clock(1000):
        pass


def test_without_nvidia_smi(monkeypatch):
    def fail(command):
        raise FileNotFoundError("nvidia-smi")

    monkeypatch.setattr(gpu_clock.subprocess, "check_output", fail)
    with (
        pytest.raises(LaunchError, match="nvidia-smi cannot set the clocks"),
        testing.set_gpu_clock(),
    ):
        pass


def test_memory_checks_are_refused():
    with pytest.raises(UnsupportedError, match="weft has no cuda_memcheck"):
        testing.cuda_memcheck(device="cuda")
