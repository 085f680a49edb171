"""Time loops over dots on a GPU: weft's own pipeline beside Triton's, in one run.

    python -m benchmarks.pipelined [--only REGEX] [--json FILE] [--resume] [--seconds 500]

Both compile the kernels of pipelined_kernels.py from source: matmul by pointers, block pointers and
descriptors, persistent, of 8-bit floats and grouped; attention forward and backward. Each compiler
tries the same list of configurations, in turns; every result is compared with torch's. Then the
best one of each is timed, in turns. A ratio is the median of Triton's time divided by weft's in the
same round.

The rows are also written to FILE as JSON, one by one. With --resume, rows that FILE has are
skipped; with --seconds, no row starts after that time: so several short runs make one table.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

import weft
from benchmarks import pipelined_kernels
from benchmarks.cuda_timing import time_alternately
from benchmarks.pipelined_workloads import (
    Compiler,
    Configuration,
    Workload,
    largest_error,
    workloads,
)
from tests.oracle.reference import load_as_triton

TRIAL_ROUNDS, TRIAL_US = 3, 500.0


@dataclass(slots=True)
class Trials:
    """What a compiler did in each configuration.

    Attributes:
        times: The µs of the configurations whose results are right.
        failures: Why the others are not timed.
        error: The largest error of those that are timed.
    """

    times: dict[Configuration, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    error: float = 0.0

    @property
    def best(self) -> Configuration | None:
        """The fastest configuration, None if all fail."""
        return min(self.times, key=lambda each: self.times[each], default=None)


@dataclass(frozen=True, slots=True)
class Row:
    """One workload.

    Attributes:
        name: Its name.
        ratio: Triton's time divided by weft's, None if one of them has no configuration.
        us: The µs of each compiler at its best.
        tflops: The speed of each.
        best: The configuration of each.
        error: The largest error of each.
        failures: Configurations that a compiler refuses, or whose result is wrong.
        trials: The µs of every configuration.
    """

    name: str
    ratio: float | None
    us: dict[str, float]
    tflops: dict[str, float]
    best: dict[str, str]
    error: dict[str, float]
    failures: dict[str, dict[str, str]]
    trials: dict[str, dict[str, float]]

    def __str__(self) -> str:
        columns = [f"{self.name:48}"]
        for compiler in ("weft", "Triton"):
            speed = self.tflops.get(compiler)
            text = f"{speed:6.0f} {self.best[compiler]}" if speed else "none"
            columns.append(f"{text:26} {self.error[compiler]:.0e}")
        columns.append("   -" if self.ratio is None else f"{self.ratio:.3f}")
        failed = len(self.failures["weft"])
        return "  ".join([*columns, f"weft fails in {failed}" if failed else ""]).rstrip()


def compilers() -> tuple[Compiler, Compiler]:
    """Load the kernels for both compilers."""
    theirs = load_as_triton(Path(pipelined_kernels.__file__))
    return (
        Compiler("weft", pipelined_kernels, weft.TensorDescriptor.from_tensor),
        Compiler("Triton", theirs, TensorDescriptor.from_tensor),
    )


def try_configurations(
    work: Workload, both: Sequence[Compiler], expected: tuple[torch.Tensor, ...]
) -> dict[str, Trials]:
    """Check every configuration, and time it in turns: clocks fall while a GPU is hot.

    Raises:
        SystemExit: A kernel broke the CUDA context, which no later launch survives.
    """
    trials = {compiler.name: Trials() for compiler in both}
    for config in work.configurations:
        errors = {
            compiler: error
            for compiler in both
            if (error := _check(work, compiler, config, expected, trials[compiler.name]))
            is not None
        }
        calls = [_call(work, compiler, config) for compiler in errors]
        if not calls:
            continue
        rounds = time_alternately(calls, TRIAL_ROUNDS, TRIAL_US)
        for (compiler, error), times in zip(errors.items(), rounds, strict=True):
            trial = trials[compiler.name]
            trial.times[config] = min(times)
            trial.error = max(trial.error, error)
    return trials


def _check(
    work: Workload,
    compiler: Compiler,
    config: Configuration,
    expected: tuple[torch.Tensor, ...],
    trials: Trials,
) -> float | None:
    """Compute the error of a configuration; None, and why in `trials`, if it does not work."""
    for tensor in work.outputs:
        tensor.zero_()
    try:
        work.launch(compiler, config)
        torch.cuda.synchronize()
    except Exception as failure:  # a configuration that a compiler refuses is a result
        trials.failures[str(config)] = f"{type(failure).__name__}: {failure}"[:300]
        _check_context(f"{work.name}, {compiler.name}, {config}", failure)
        return None
    error = largest_error(work.outputs, expected)
    if not error <= work.bound:  # NaN is not, either
        trials.failures[str(config)] = f"error {error:.1e}, at most {work.bound}"
        return None
    return error


def _call(work: Workload, compiler: Compiler, config: Configuration) -> Callable[[], object]:
    return lambda: work.launch(compiler, config)


def _check_context(what: str, failure: Exception) -> None:
    try:
        torch.cuda.synchronize()
    except Exception:
        raise SystemExit(f"{what} broke the CUDA context: {failure}") from failure


def compare(work: Workload, both: tuple[Compiler, Compiler]) -> Row:
    """Run one workload."""
    expected = work.expected()
    trials = try_configurations(work, both, expected)
    best = {name: trial.best for name, trial in trials.items()}
    calls = {
        each.name: _call(work, each, config)
        for each in both
        if (config := best[each.name]) is not None
    }
    rounds = dict(zip(calls, time_alternately(list(calls.values())), strict=True)) if calls else {}
    us = {name: median(times) for name, times in rounds.items()}
    ratio = None
    if len(rounds) == len(both):
        pairs = zip(rounds["weft"], rounds["Triton"], strict=True)
        ratio = median(theirs / ours for ours, theirs in pairs)
    return Row(
        work.name,
        ratio,
        us,
        {name: work.flops / time / 1e6 for name, time in us.items()},
        {name: str(config) for name, config in best.items()},
        {name: trial.error for name, trial in trials.items()},
        {name: trial.failures for name, trial in trials.items()},
        {
            name: {str(config): time for config, time in trial.times.items()}
            for name, trial in trials.items()
        },
    )


def mean_of(rows: dict[str, dict[str, Any]]) -> float | None:
    """Compute the geometric mean of the ratios, None if there is none."""
    ratios = [row["ratio"] for row in rows.values() if row["ratio"] is not None]
    return geometric_mean(ratios) if ratios else None


def write_json(path: Path, rows: dict[str, dict[str, Any]]) -> None:
    """Write all rows."""
    content = {
        "device": torch.cuda.get_device_name(),
        "weft": weft.__version__,
        "triton": triton.__version__,
        "torch": torch.__version__,
        "geometric_mean": mean_of(rows),
        "rows": list(rows.values()),
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="regular expression for names of workloads")
    parser.add_argument("--json", type=Path, help="file for the rows")
    parser.add_argument("--resume", action="store_true", help="skip the rows that the file has")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no row after this time")
    return parser.parse_args()


def main() -> None:
    """Print a row for each workload, and the geometric mean.

    Raises:
        SystemExit: weft has no right configuration for a workload.
    """
    arguments = _arguments()
    start = time.monotonic()
    torch.manual_seed(0)
    both = compilers()
    rows: dict[str, dict[str, Any]] = {}
    if arguments.json and arguments.json.exists():
        rows = {row["name"]: row for row in json.loads(arguments.json.read_text())["rows"]}
    print(f"TFLOP/s at the best configuration, on {torch.cuda.get_device_name()}", flush=True)
    for name, make in workloads("cuda", full=True):
        if not re.search(arguments.only, name) or (arguments.resume and name in rows):
            continue
        if time.monotonic() - start > arguments.seconds:
            print(f"out of time before {name}; --resume goes on")
            break
        row = compare(make(), both)
        print(row, flush=True)
        rows[name] = asdict(row)
        if arguments.json:
            write_json(arguments.json, rows)
        torch.cuda.empty_cache()
    mean = mean_of(rows)
    if mean is not None:
        print(f"geometric mean of Triton / weft over {len(rows)} rows: {mean:.3f}")
    wrong = [name for name, row in rows.items() if "weft" not in row["us"]]
    if wrong:
        raise SystemExit(f"no right configuration of weft: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
