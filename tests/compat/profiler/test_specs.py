"""Peak rates of GPUs."""

from __future__ import annotations

import pytest

from weft.compat.profiler import specs
from weft.errors import LaunchError

CASES = [
    ("CUDA", "80", 8, 108, 1410e3), ("CUDA", "80", 16, 108, 1410e3), ("CUDA", "89", 8, 142, 2.5e6),
    ("CUDA", "90", 16, 132, 1980e3), ("CUDA", "100", 8, 148, 1965e3),
    ("HIP", "gfx942", 8, 304, 2.1e6), ("HIP", "gfx950", 16, 256, 2.4e6),
]  # fmt: skip


def test_rates_scale_with_width_and_clock():
    assert specs.max_flops("CUDA", "80", 16, 108, 1410e3) == 312e12
    assert specs.max_flops("CUDA", "90", 8, 114, 1755e3) == pytest.approx(1513e12)
    assert specs.max_flops("HIP", "gfx942", 8, 304, 2.1e6) == pytest.approx(2614.9e12, rel=1e-3)
    assert specs.max_bps("CUDA", "90", 5120, 2619e3) == pytest.approx(3.352e12, rel=1e-3)
    assert specs.max_bps("HIP", "gfx950", 0, 0) == 8e12


def test_unknown_devices():
    with pytest.raises(LaunchError, match="Unsupported device type: XPU"):
        specs.max_flops("XPU", "1", 8, 1, 1)
    with pytest.raises(LaunchError, match="Unsupported architecture: 70"):
        specs.max_flops("CUDA", "70", 8, 1, 1)
    with pytest.raises(LaunchError, match="Unsupported architecture: gfx1201"):
        specs.max_bps("HIP", "gfx1201", 1, 1)


@pytest.mark.oracle
@pytest.mark.parametrize("case", CASES)
def test_the_rates_are_tritons(case):
    from triton.profiler.specs import max_flops

    assert specs.max_flops(*case) == pytest.approx(max_flops(*case))
