"""The results of autotune: times, or why a configuration cannot be compiled; kept on disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from weft.autotuner.config import Config
from weft.compiler.cache import DiskCache, toolchain_version
from weft.compiler.fingerprint import fingerprint
from weft.errors import CodegenError, CompilationError, PassError, WeftError
from weft.language.kernel_function import KernelFunction
from weft.launch.drivers.active import active_driver

__all__ = [
    "COMPILE_ERRORS",
    "Times",
    "Trial",
    "best_config",
    "device_description",
    "load_trials",
    "save_trials",
]

Times = tuple[float, ...]
"""Median, 20 % and 80 % quantile, in ms."""

COMPILE_ERRORS = (CompilationError, PassError, CodegenError)
"""Errors of a configuration that cannot be compiled, where another one may be."""

_FAILED: Times = (float("inf"),) * 3


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one configuration.

    Attributes:
        config: The configuration.
        times: Its times; infinite if it failed.
        reason: Why it failed, in one line.
        error: The error, if it failed in this process.
    """

    config: Config
    times: Times = _FAILED
    reason: str = ""
    error: WeftError | None = None

    @staticmethod
    def failed(config: Config, error: WeftError) -> Trial:
        """Create the trial of a configuration that could not be compiled."""
        reason = f"{error.message} ({error.found})" if error.found else error.message
        return Trial(config, reason=" ".join(str(reason).split()), error=error)


def device_description(gpu: int | None) -> str:
    """Describe the device that times are valid for.

    Args:
        gpu: The number of the GPU; None for the CPU device.
    """
    if gpu is None:
        return f"cpu, {os.cpu_count()} cores"
    driver = active_driver()
    count = driver.properties(gpu).multiprocessors
    return f"{driver.target_name(gpu)}, {count} multiprocessors"


def _cache_key(kernel: KernelFunction, key: object, configs: Sequence[Config], device: str) -> str:
    kwargs = [config.all_kwargs() for config in configs]
    parts = (
        "autotune", toolchain_version(), fingerprint(kernel), device, repr(key), repr(kwargs)
    )  # fmt: skip
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load_trials(
    kernel: KernelFunction, key: object, configs: Sequence[Config], device: str
) -> list[Trial] | None:
    """Load the trials that an earlier process saved; None if there are none.

    Args:
        kernel: The kernel.
        key: The autotuner's key of the launch.
        configs: The configurations to try.
        device: The description of the device.
    """
    entry = DiskCache.open().get(_cache_key(kernel, key, configs, device))
    if entry is None:
        return None
    return [
        Trial(config, tuple(times) if times else _FAILED, reason)
        for config, (times, reason) in zip(configs, entry.metadata["trials"], strict=True)
    ]


def save_trials(kernel: KernelFunction, key: object, trials: Sequence[Trial], device: str) -> None:
    """Save trials for other processes; arguments as of `load_trials`."""
    configs = [trial.config for trial in trials]
    results = [(None if trial.reason else trial.times, trial.reason) for trial in trials]
    metadata = {"name": kernel.name, "target": device, "trials": results}
    DiskCache.open().put(_cache_key(kernel, key, configs, device), metadata, {})


def best_config(trials: Sequence[Trial]) -> Config:
    """Choose the fastest configuration.

    Raises:
        WeftError: None could be compiled; the error of the first.
    """
    best = min(trials, key=lambda trial: trial.times)
    if best.reason:
        raise trials[0].error or CodegenError(
            "no configuration of autotune can be compiled", found=trials[0].reason
        )
    return best.config
