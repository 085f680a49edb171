"""Lock the clocks of an NVIDIA GPU, with Triton's interface."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from weft.errors import LaunchError, UnsupportedError
from weft.testing.peak_rates import nvsmi

__all__ = ["cuda_memcheck", "set_gpu_clock"]

_TOLERANCE = 10  # MHz


@contextmanager
def set_gpu_clock(
    ref_sm_clock: int = 1350, ref_mem_clock: int = 1215
) -> Iterator[tuple[float, float]]:
    """Lock the clocks of GPU 0, which needs the rights of an administrator.

    Args:
        ref_sm_clock: The clock of the multiprocessors in MHz.
        ref_mem_clock: The clock of the memory in MHz.

    Yields:
        The peak rates of an A100 at these clocks, in TFLOP/s and GB/s, as Triton does.

    Raises:
        LaunchError: nvidia-smi does not run, or the GPU does not run at these clocks.
    """
    try:
        _configure("-pm", "1")
        _configure(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        _configure(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        clocks = nvsmi(["clocks.current.sm", "clocks.current.memory"])
        for clock, expected in zip(clocks, (ref_sm_clock, ref_mem_clock), strict=True):
            if abs(clock - expected) >= _TOLERANCE:
                raise LaunchError(f"GPU must run at {expected} MHz", found=f"{clock} MHz")
        yield 1e-6 * 2 * 108 * 4 * 256 * ref_sm_clock, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        _configure("-pm", "0")
        _configure("-rgc")
        _configure("-rmc")


def _configure(*arguments: str) -> None:
    try:
        subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])
    except (OSError, subprocess.CalledProcessError) as error:
        raise LaunchError("nvidia-smi cannot set the clocks", found=str(error)) from None


def cuda_memcheck(**target_kwargs: object) -> None:
    """Refuse to run a test in a memory checker.

    Raises:
        UnsupportedError: Always.
    """
    raise UnsupportedError(
        "weft has no cuda_memcheck",
        found="cuda_memcheck",
        hint="run `compute-sanitizer pytest FILE`; weft.testing.sanitize checks on the CPU device",
    )
