"""`triton.profiler.specs`: peak rates of GPUs, for the utilization that the viewer prints.

The rates of NVIDIA's chips are those of 8-bit dense dots in the data sheets; wider elements have
proportionally lower ones.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import LaunchError

__all__ = ["amd_bps_by_arch", "amd_fp8_flops_by_arch", "flops_by_device", "max_bps", "max_flops"]

Rate = Callable[..., float]
"""Computes a rate of the width in bits, and of the numbers of multiprocessors and kHz."""


def _of_board(rate: float) -> Rate:
    """Create the rate of a chip that is sold with one clock."""
    return lambda width, **clock: rate * 8 / width


def _of_clock(per_cycle: float) -> Rate:
    """Create the rate of a chip with so many operations in a cycle of a multiprocessor."""
    return lambda width, num_sms, clock_rate: num_sms * clock_rate * 1e3 * per_cycle * 8 / width


flops_by_device: dict[str, dict[str, Rate]] = {
    "CUDA": {
        "80": _of_board(624e12),  # A100
        "89": _of_board(330.3e12),  # L40S and RTX 4090, with fp32 accumulators
        "90": _of_clock(1513e12 / (114 * 1755e6)),  # H100 PCIe: 114 multiprocessors, 1755 MHz
        "100": _of_clock(16384),
    }
}
"""Rates of dots by device type and compute capability."""

amd_bps_by_arch: dict[str, float] = {"gfx90a": 3.2e12, "gfx942": 5.3e12, "gfx950": 8.0e12}
"""Bytes per second of the memory, by architecture."""

amd_fp8_flops_by_arch: dict[str, int] = {"gfx90a": 1024, "gfx942": 4096, "gfx950": 8192}
"""Operations of 8-bit dots in a cycle of a compute unit, by architecture."""


def max_flops(device_type: str, arch: str, width: int, num_sms: int, clock_rate: float) -> float:
    """Compute the peak rate of dots, in operations per second.

    Args:
        device_type: "CUDA" or "HIP".
        arch: Compute capability ("90"), or architecture ("gfx942").
        width: Bits of an element.
        num_sms: The number of multiprocessors, or compute units.
        clock_rate: The clock in kHz.

    Raises:
        LaunchError: A device without a known rate.
    """
    if device_type == "HIP":
        rates = {name: _of_clock(rate) for name, rate in amd_fp8_flops_by_arch.items()}
    elif device_type in flops_by_device:
        rates = flops_by_device[device_type]
    else:
        raise LaunchError(f"Unsupported device type: {device_type}", accepted=["CUDA", "HIP"])
    rate = rates.get(arch)
    if rate is None:
        raise LaunchError(f"Unsupported architecture: {arch}", found=arch, accepted=rates)
    return rate(width, num_sms=num_sms, clock_rate=clock_rate)


def max_bps(device_type: str, arch: str, bus_width: int, memory_clock_rate: float) -> float:
    """Compute the peak rate of memory, in bytes per second.

    Args:
        device_type: "CUDA" or "HIP".
        arch: As of `max_flops`; NVIDIA's chips do not need it.
        bus_width: Bits of the memory's bus.
        memory_clock_rate: Its clock in kHz.

    Raises:
        LaunchError: A device without a known rate.
    """
    if device_type == "CUDA":
        return 2 * bus_width * memory_clock_rate * 1e3 / 8
    rate = amd_bps_by_arch.get(arch)
    if rate is None:
        raise LaunchError(f"Unsupported architecture: {arch}", found=arch, accepted=amd_bps_by_arch)
    return rate
