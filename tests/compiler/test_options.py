"""Compile options: defaults of each back end, and values out of range."""

from __future__ import annotations

import pytest

from weft.compiler.options import options_for
from weft.errors import LaunchError
from weft.targets import target

CUDA, HIP, CPU = target("cuda:90"), target("hip:gfx942"), target("cpu")


def error_of(chip, **values) -> str:
    with pytest.raises(LaunchError) as caught:
        options_for(chip, values)
    return str(caught.value)


def test_defaults():
    assert options_for(CUDA, {}).num_stages == 3
    assert options_for(HIP, {}).num_stages == 2
    assert options_for(HIP, {"num_stages": None, "kpack": 2}).kpack == 2
    assert options_for(CPU, {"kpack": 2, "maxnreg": 64}).as_dict()["maxnreg"] == 64


def test_unknown_option_suggests():
    text = error_of(CUDA, num_warp=4)
    assert "unknown compile option num_warp" in text
    assert "did you mean num_warps" in text


def test_option_of_another_back_end():
    text = error_of(CUDA, kpack=2)
    assert "compile option kpack is for hip; the target is cuda:90" in text
    assert "maxnreg" in text


def test_the_cpu_device_takes_a_warp_for_each_thread():
    assert options_for(CPU, {"num_warps": 1024}).num_warps == 1024
    for value in (2048, 48):
        assert "num_warps must be a power of 2" in error_of(CPU, num_warps=value)


@pytest.mark.parametrize("value", [0, 3, -4, 2048, "4", True, 4.0])
def test_num_warps_must_be_a_power_of_two(value):
    text = error_of(HIP, num_warps=value)
    assert "num_warps must be a power of 2" in text
    assert f"found: num_warps={value!r}" in text
    assert "accepted: 1, 2, 4, 8, 16, 32, 64" in text
    with pytest.raises(AssertionError, match="must be a power of 2"):  # as Triton raises
        options_for(HIP, {"num_warps": value})


def test_ranges():
    assert "num_stages is out of range" in error_of(HIP, num_stages=-1)
    assert "accepted: 0, 4, 16, 32" in error_of(HIP, matrix_instr_nonkdim=8)
    assert "accepted: True, False" in error_of(HIP, enable_fp_fusion=1)


def test_clusters_on_a_chip_without_them():
    text = error_of(target("cuda:80"), num_ctas=2)
    assert "cuda:80 does not support clusters of 2 blocks" in text
    assert "accepted: num_ctas=1" in text


def test_schedule_hints():
    options = options_for(HIP, {"schedule_hint": "Attention,none,memory-bound-attention"})
    assert options.schedule_hints == ("attention", "memory-bound-attention")
    assert options_for(HIP, {}).schedule_hints == ()
    text = error_of(HIP, schedule_hint="local-prefetch")
    assert "accepted: none, attention, memory-bound-attention" in text


def test_knobs_are_defaults(monkeypatch):
    assert options_for(HIP, {}).use_async_copy is None
    monkeypatch.setenv("TRITON_HIP_USE_ASYNC_COPY", "1")
    monkeypatch.setenv("AMDGCN_USE_BUFFER_OPS", "0")
    assert options_for(HIP, {}).use_async_copy is True
    assert options_for(HIP, {}).use_buffer_ops is False
    assert options_for(HIP, {"use_async_copy": False}).use_async_copy is False
    assert options_for(CUDA, {}).use_async_copy is None
    assert "accepted: True, False" in error_of(HIP, use_block_pingpong="yes")
