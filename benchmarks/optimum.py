"""Time kernels on a GPU with the heuristics' layouts and with the optimum's, in one run.

    python -m benchmarks.optimum [--only norm] [--seconds 250] [--json FILE]
    python -m benchmarks.optimum --dry-run        where there is no GPU: compiles, and a few results

The loads are those of optimum_workloads.py, checked against torch, and the kernels of the corpus of
the differential tests as of optimum_kernels.py, checked against the heuristics' code. Processes
compile each with `layouts="heuristic"`, "refined" and "optimal"; then the graphs of the three take
turns. A ratio is the median of the heuristics' time divided by the other one in the same round:
over 1 is faster. The gap is how much more the heuristics' layouts cost, as counted. Equal code has
the ratio 1 without a measurement.

It passes if no kernel is slower than 0.98 of the heuristics' code, and those with a gap over 5 %
are faster by at least 5 % in geometric mean.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from benchmarks.optimum_kernels import LAYOUTS, Prepared, data_of, load_variant, prepare
from benchmarks.timing import print_table
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for

SLOWEST, LEAST_GAP, LEAST_SPEEDUP = 0.98, 0.05, 1.05
PROGRAMS_PER_SM, MOST_BYTES = 16, 6 << 30
MOST_SECONDS = 30.0  # of the measurement of a kernel
ROUNDS = 21
TOLERANCE = 3e-2
_RESTART = 3  # the exit code of a process whose context has failed
# They store to an address from several threads without a barrier, so that the last store, and with
# it the result, depends on the layouts.
UNORDERED = frozenset({"memory 6", "shapes 5", "shapes 6"})
UNROLLED = Path(__file__).parent / "unrolled.py"

Timer = Callable[[Sequence[Callable[[], object]]], list[list[float]]]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One load.

    Attributes:
        name: For the table.
        gap: How much more the heuristics' layouts cost than the optimum's, as counted.
        ratios: The speedup of "refined" and of "optimal".
        us: The time of the heuristics' code.
        failure: Why there is no time.
    """

    name: str
    gap: float
    ratios: tuple[float, ...] = ()
    us: float = 0.0
    failure: str = ""


def gap_of(costs: Sequence[int]) -> float:
    """Compute how much more the first cost is than the last."""
    return costs[0] / costs[-1] - 1 if costs[-1] else 0.0


def time_variants(calls: Sequence[Callable[[], object]], timer: Timer) -> dict[str, Any]:
    """Time the code of each of `LAYOUTS`; equal calls are the same code."""
    others = [call for call in dict.fromkeys(calls) if call is not calls[0]]
    if not others:
        return {"ratios": (1.0,) * (len(calls) - 1)}
    base, *times = timer([calls[0], *others])
    known = {
        call: median(a / b for a, b in zip(base, each, strict=True))
        for call, each in zip(others, times, strict=True)
    }
    return {"ratios": tuple(known.get(call, 1.0) for call in calls[1:]), "us": median(base)}


# -------------------------------------------------------------------------- kernels of the corpus
def corpus_tasks(chip: str, only: str) -> list[tuple[Path, int]]:
    """List the kernels of the corpus and of the examples for a chip."""
    cases = [(path, index) for path, index in (*EXAMPLES, *KERNELS) if is_for(path, index, chip)]
    cases += [(UNROLLED, index) for index in range(3)]
    return [each for each in cases if only in f"{each[0].stem} {each[1]}"]


def _prepare_or_explain(path: Path, index: int, chip: str, folder: str) -> Prepared | str:
    try:
        return prepare(path, index, chip, Path(folder))
    except Exception as error:  # a kernel that is not for the chip, or has other arguments
        return f"{path.stem} {index}: {type(error).__name__}: {error}".partition("\n")[0][:160]


def measure_corpus(file: Path, device: str, timer: Timer) -> None:
    """Time the kernels of a file from its first one without a row, and append their rows to it."""
    content = json.loads(file.read_text())
    for number in range(len(content["rows"]), len(content["kernels"])):
        if time.time() > content["end"]:
            return
        kernel = Prepared(**content["kernels"][number])
        # If the process dies, this is what stays.
        rows = [
            *content["rows"],
            asdict(Measurement(kernel.name, gap_of(kernel.costs), failure="died")),
        ]
        file.write_text(json.dumps(content | {"rows": rows}))
        is_usable = True
        try:
            row = _measure_kernel(kernel, device, timer)
        except Exception as error:
            text = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
            row = Measurement(kernel.name, gap_of(kernel.costs), failure=text)
            is_usable = "CUDA" not in text
        content["rows"].append(asdict(row))
        file.write_text(json.dumps(content))
        if not is_usable:
            # The context of this process fails from now on. The next process goes on.
            sys.exit(_RESTART)


def _measure_kernel(kernel: Prepared, device: str, timer: Timer) -> Measurement:
    import torch

    gap = gap_of(kernel.costs)
    if len({*kernel.files}) == 1:
        return Measurement(kernel.name, gap, (1.0,) * (len(LAYOUTS) - 1))
    one = data_of(kernel, 1, "cpu")
    size = sum(each.numel() * each.element_size() for each in one if torch.is_tensor(each)) // 2
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    programs = max(sms, min(PROGRAMS_PER_SM * sms, MOST_BYTES // max(1, size)))
    results: list[list[Any]] = []
    calls: dict[str, Callable[[], object]] = {}
    values: list[Any] = []
    for file in (kernel.files[0], *dict.fromkeys(kernel.files)):
        values = data_of(kernel, programs, device)
        launch = load_variant(kernel, file)
        launch(programs, values)
        torch.cuda.synchronize()
        results.append([each for each in values if torch.is_tensor(each)])
        calls[file] = lambda launch=launch, values=values: launch(programs, values)
        if len(results) > 2:
            if kernel.name in UNORDERED:
                results.pop()
                continue
            _require_close(results[0], results.pop(), _difference(results[0], results[1]))
    timed = time_variants([calls[file] for file in kernel.files], timer)
    return Measurement(kernel.name, gap, **timed)


def _difference(left: list[Any], right: list[Any]) -> float:
    """Compute the largest difference relative to the largest value of a tensor."""
    largest = 0.0
    for a, b in zip(left, right, strict=True):
        a_wide, b_wide = (each.float().nan_to_num(0.0, 0.0, 0.0) for each in (a, b))
        scale = a_wide.abs().max().clamp(min=1e-3)
        largest = max(largest, ((a_wide - b_wide).abs().max() / scale).item())
    return largest


def _require_close(expected: list[Any], result: list[Any], noise: float) -> None:
    """Require that results differ by less than two runs of the same code, or by rounding."""
    difference = _difference(expected, result)
    assert difference <= max(2 * noise, TOLERANCE), f"wrong by {difference:.1e}"


# ------------------------------------------------------------------------------------------- loads
def measure_load(make: Callable[[], Any], costs: Sequence[int], timer: Timer) -> Measurement:
    """Check the results of a load in each of `LAYOUTS`, and time it."""
    from weft import knobs

    work = make()
    # Some kernels write in place: each starts from the same contents.
    contents = [output.clone() for output in work.outputs]
    calls: list[Callable[[], object]] = []
    for layouts in LAYOUTS:

        def call(layouts: str = layouts) -> object:
            with knobs.compilation.scope():
                knobs.compilation.layouts = layouts
                return work.launch()

        for output, content in zip(work.outputs, contents, strict=True):
            output.copy_(content)
        call()
        error = work.error()
        assert error <= work.bound, f"layouts={layouts}: error {error:.1e}, at most {work.bound}"
        calls.append(calls[0] if calls and costs[len(calls)] == costs[0] else call)
    return Measurement(work.name, gap_of(costs), **time_variants(calls, timer))


def time_on_host(calls: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Time each call once, in µs."""
    times: list[list[float]] = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append([(time.perf_counter() - start) * 1e6])
    return times


def _time_on_gpu(calls: Sequence[Callable[[], object]]) -> list[list[float]]:
    from benchmarks.cuda_timing import time_alternately

    return time_alternately(calls, ROUNDS, 1000.0)


# ----------------------------------------------------------------------------------------- verdict
def verdict(measurements: Sequence[Measurement]) -> tuple[str, bool]:
    """Judge the ratios of "optimal"."""
    timed = [each for each in measurements if each.ratios]
    slow = [each for each in timed if each.ratios[-1] < SLOWEST]
    wide = [each.ratios[-1] for each in timed if each.gap > LEAST_GAP]
    mean = geometric_mean(wide) if wide else 1.0
    overall = geometric_mean([each.ratios[-1] for each in timed]) if timed else 1.0
    refined = geometric_mean([each.ratios[0] for each in timed]) if timed else 1.0
    lines = [
        f"{len(slow)} of {len(timed)} slower than {SLOWEST}; {len(wide)} with a gap over "
        f"{LEAST_GAP:.0%}, geometric mean {mean:.3f}; of all {overall:.3f}, refined {refined:.3f}",
        *(f"slower: {each.name} {each.ratios[-1]:.3f}, gap {each.gap:.1%}" for each in slow),
        *(f"no time: {each.name}: {each.failure}" for each in measurements if each.failure),
    ]
    return "\n".join(lines), not slow and (not wide or mean >= LEAST_SPEEDUP)


def _rows(measurements: Sequence[Measurement]) -> list[list[str]]:
    return [
        [
            each.name,
            f"{each.gap:.1%}",
            *("same code" if ratio == 1.0 else f"{ratio:.3f}" for ratio in each.ratios),
            f"{each.us:.1f}" if each.us else "",
        ]
        for each in measurements
        if each.ratios
    ]


# -------------------------------------------------------------------------------------------- main
class _Inline(Executor):
    """Carries out what is submitted, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Run:
    """One run of the benchmark."""

    def __init__(self, request: argparse.Namespace, folder: Path) -> None:
        self.request, self.folder = request, folder
        self.end = time.time() + request.seconds
        self.chip = request.target
        self.notes: list[str] = []
        workers = request.jobs or max(1, (os.cpu_count() or 2) - 1)
        fork = get_context("fork")
        self.pool = _Inline() if request.dry_run else ProcessPoolExecutor(workers, fork)
        # Workers start before CUDA does: a forked process cannot use it, and these do not.
        self.pool.submit(os.getpid).result()

    def __call__(self) -> list[Measurement]:
        loads, compiles = self._request_loads()
        corpus = [
            self.pool.submit(_prepare_or_explain, path, index, self.chip, str(self.folder))
            for path, index in corpus_tasks(self.chip, self.request.only)
        ]
        self._wait([*corpus, *(each for tasks in compiles for each in tasks)])
        rows = self._measure_loads(loads, compiles)
        kernels = [task.result() for task in corpus if task.done() and not task.cancelled()]
        self.notes += [each for each in kernels if isinstance(each, str)]
        late = sum(not task.done() or task.cancelled() for task in corpus)
        if late:
            self.notes.append(f"{late} kernels of the corpus were not compiled in time")
        prepared = [each for each in kernels if isinstance(each, Prepared)]
        self.pool.shutdown(wait=False, cancel_futures=True)
        return rows + self._measure_corpus(prepared)

    def _request_loads(self) -> tuple[list[Any], list[list[Future[tuple[int, ...]]]]]:
        from benchmarks.optimum_workloads import compile_request, loads, requests_of

        device = "cpu" if self.request.dry_run else "cuda"
        chosen = [
            (name, make)
            for name, make in loads(device, full=not self.request.dry_run)
            if self.request.only in name
        ]
        compiles = [
            [self.pool.submit(compile_request, each, self.chip) for each in requests_of(make())]
            for _, make in chosen
        ]
        return chosen, compiles

    def _wait(self, tasks: list[Future[Any]]) -> None:
        """Wait until everything is compiled, or for three fifths of the time."""
        start = time.time()
        wait(tasks, timeout=0.6 * self.request.seconds)
        count = sum(task.done() for task in tasks)
        self.notes.append(f"{count} of {len(tasks)} compiles in {time.time() - start:.0f} s")

    def _measure_loads(
        self, loads: list[Any], compiles: list[list[Future[tuple[int, ...]]]]
    ) -> list[Measurement]:
        timer = time_on_host if self.request.dry_run else _time_on_gpu
        rows: list[Measurement] = []
        for (name, make), tasks in zip(loads, compiles, strict=True):
            if not all(task.done() for task in tasks):
                rows.append(Measurement(name, 0.0, failure="not compiled in time"))
                continue
            try:
                costs = [sum(each) for each in zip(*(t.result() for t in tasks), strict=True)]
                rows.append(measure_load(make, costs, timer))
            except Exception as error:
                text = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
                rows.append(Measurement(name, 0.0, failure=text))
            print(rows[-1], file=sys.stderr, flush=True)
        return rows

    def _measure_corpus(self, kernels: list[Prepared]) -> list[Measurement]:
        """Time the kernels in separate processes: an illegal access ends a process."""
        file = self.folder / "corpus.json"
        kernels.sort(key=lambda each: -gap_of(each.costs))
        content = {"kernels": [asdict(each) for each in kernels], "rows": [], "end": self.end}
        file.write_text(json.dumps(content))
        if self.request.dry_run or not kernels:
            return [Measurement(each.name, gap_of(each.costs)) for each in kernels]
        import torch

        torch.cuda.empty_cache()
        while True:
            command = [sys.executable, "-m", "benchmarks.optimum", "--measure", str(file)]
            code = _run_while_writing(command, file)
            rows = json.loads(file.read_text())["rows"]
            if code == 0 or len(rows) == len(kernels):
                break
        if len(rows) < len(kernels):
            self.notes.append(f"{len(kernels) - len(rows)} kernels of the corpus were not timed")
        return [Measurement(**{**row, "ratios": tuple(row["ratios"])}) for row in rows]


def _run_while_writing(command: Sequence[str], file: Path) -> int:
    """Run a process, and kill it when it has not written to a file for a time."""
    file.touch()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            time.sleep(0.2)
            if time.time() - file.stat().st_mtime > MOST_SECONDS:
                process.kill()
        return process.returncode


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--target", default="cuda:90", help="the chip of the GPU")
    parser.add_argument("--seconds", type=float, default=250.0, help="the time of the whole run")
    parser.add_argument("--jobs", type=int, default=0, help="processes that compile")
    parser.add_argument("--json", type=Path, help="file for the rows")
    parser.add_argument("--dry-run", action="store_true", help="small sizes on the CPU device")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if the optimum's code is not as fast as it must be."""
    request = _parse(arguments)
    if request.measure is not None:
        measure_corpus(request.measure, "cuda", _time_on_gpu)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        run = _Run(request, Path(folder))
        measurements = run()
    print_table(
        "heuristics' time / time", ("gap", *LAYOUTS[1:], "µs"), _rows(measurements), width=90
    )
    text, passed = verdict(measurements)
    print("\n".join([*run.notes, text]))
    if request.json is not None:
        request.json.write_text(json.dumps([asdict(each) for each in measurements], indent=1))
    return 0 if passed or request.dry_run else 1


if __name__ == "__main__":
    sys.exit(main())
