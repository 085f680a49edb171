"""What autotune tried: times or reasons, kept on disk, shown while it runs and as a table.

softmax for n=4096, float32: 7 configurations in 1.3 s
  BLOCK  num_warps  num_stages      ms  20 … 80 %         ×
   1024          4           3  0.0113  0.0112 … 0.0115  1.00  ← taken
   4096         32           3  needs 300000 bytes of shared memory
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.autotuner.config import Config
from weft.compiler.cache import Store, versions
from weft.compiler.fingerprint import fingerprint
from weft.errors import CodegenError, CompilationError, PassError, WeftError
from weft.language.kernel_function import KernelFunction
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = ["SKIPPED", "Timing", "Trial", "chosen", "device_name", "load", "save", "show", "watched"]

Timing = tuple[float, ...]
"""Median, 20 % and 80 % quantile, in ms."""

SKIPPED = (CompilationError, PassError, CodegenError)
"""A configuration that ends in one of these cannot be compiled, and others may be."""

_FAILED: Timing = (float("inf"),) * 3
_PATIENCE_S = 1.0  # after that a progress bar is shown
_PIPE_COLUMNS = 160  # of a table that no terminal limits


@dataclass(frozen=True, slots=True)
class Trial:
    """One configuration, and how it did.

    times: infinite if it failed.  reason: why it did, in one line.  error: of this process.
    """

    config: Config
    times: Timing = _FAILED
    reason: str = ""
    error: WeftError | None = None

    @staticmethod
    def failed(config: Config, error: WeftError) -> Trial:
        """Return the trial of a configuration that could not be compiled."""
        said = f"{error.message} ({error.found})" if error.found else error.message
        return Trial(config, reason=" ".join(str(said).split()), error=error)


def device_name(gpu: int | None) -> str:
    """Return what the times of a device hold for."""
    if gpu is None:
        return f"cpu, {os.cpu_count()} cores"
    driver = CudaDriver.get()
    cores = driver.attribute(gpu, "MULTIPROCESSOR_COUNT")
    return f"cuda:{driver.capability(gpu)}, {cores} multiprocessors"


def _key(kernel: KernelFunction, key: object, configs: Sequence[Config], device: str) -> str:
    tried = [config.all_kwargs() for config in configs]
    parts = ("autotune", versions(), fingerprint(kernel), device, repr(key), repr(tried))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def load(
    kernel: KernelFunction, key: object, configs: Sequence[Config], device: str
) -> list[Trial] | None:
    """Return the trials that a process made before on such a device; None if none did."""
    entry = Store.open().get(_key(kernel, key, configs, device))
    if entry is None:
        return None
    said = entry.facts["trials"]
    return [
        Trial(config, tuple(times) if times else _FAILED, reason)
        for config, (times, reason) in zip(configs, said, strict=True)
    ]


def save(kernel: KernelFunction, key: object, trials: Sequence[Trial], device: str) -> None:
    """Keep trials for other processes."""
    configs = [trial.config for trial in trials]
    said = [(None if trial.reason else trial.times, trial.reason) for trial in trials]
    facts = {"name": kernel.name, "target": device, "trials": said}
    Store.open().put(_key(kernel, key, configs, device), facts, {})


def watched(name: str, configs: Sequence[Config]) -> Iterator[Config]:
    """Yield the configurations, with a progress bar if that takes long and a terminal is there."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    about, now = TextColumn(f"tuning {name}"), TextColumn("{task.description}")
    bar = Progress(about, BarColumn(), MofNCompleteColumn(), now, console=console, transient=True)
    task, start = bar.add_task("", total=len(configs)), time.perf_counter()
    shown = False
    try:
        for done, config in enumerate(configs):
            late = time.perf_counter() - start > _PATIENCE_S
            if late and not shown and console.is_terminal:
                bar.start()
                shown = True
            bar.update(task, completed=done, description=str(config))
            yield config
    finally:
        if shown:
            bar.stop()


def show(title: str, trials: Sequence[Trial], best: Config) -> None:
    """Print a table of what was tried, the fastest first."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    names = list(dict.fromkeys(name for trial in trials for name in trial.config.all_kwargs()))
    for name in names:
        table.add_column(name, justify="right")
    for heading in ("ms", "20 … 80 %", "×"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", justify="left", overflow="fold")
    ordered = sorted(trials, key=lambda trial: trial.times)
    fastest = ordered[0].times[0]
    for trial in ordered:
        values = trial.config.all_kwargs()
        cells = [str(values.get(name, "")) for name in names]
        table.add_row(*map(Text, (*cells, *_cells(trial, fastest, trial.config is best))))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PIPE_COLUMNS)
    console.print(table)


def _cells(trial: Trial, fastest: float, is_best: bool) -> tuple[str, str, str, str]:
    if trial.reason:
        return "", "", "", trial.reason
    median, low, high = trial.times[:3]
    ratio = f"{median / fastest:.2f}" if fastest else ""
    return f"{median:.4g}", f"{low:.4g} … {high:.4g}", ratio, "← taken" if is_best else ""


def chosen(trials: Sequence[Trial]) -> Config:
    """Return the fastest configuration.

    Raises: the error of the first, if none could be compiled.
    """
    best = min(trials, key=lambda trial: trial.times)
    if best.reason:
        raise trials[0].error or CodegenError(
            "no configuration of autotune can be compiled", found=trials[0].reason
        )
    return best.config
