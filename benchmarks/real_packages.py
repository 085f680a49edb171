"""Run operations of real packages with weft and with Triton on one GPU: results and times.

    python -m benchmarks.real_packages --packages DIR [--only liger] [--json FILE] [--seconds N]
        [--jobs N]

DIR has the packages' sources: liger/src, fla, …. Each compiler runs in a separate process, where
`import triton` finds it. Results are compared with Triton's, relative to the largest value; the
bound is twice the difference between two runs of Triton's, and at least the rounding of the type. A
row above the bound is marked with "!" and does not count in the mean.
N pairs of processes compile and run the operations at once; half of --seconds is for that. Then
nothing else runs: each process records its operation as a CUDA graph (or launches it, if
it cannot be recorded), and the two take turns; a ratio is the median of Triton's time divided by
weft's in the same round.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import torch

from benchmarks.compiler_process import (
    COMPILERS,
    Answer,
    CompilerProcess,
    Processes,
    add_options,
    each_name,
    serve,
)
from benchmarks.cuda_timing import record, replay_us
from benchmarks.real_package_workloads import FOLDERS, WORKLOADS, Inputs, Operation
from benchmarks.timing import print_table

ROUNDS, RECORDED_US, CASE_SECONDS = 15, 3000.0, 240.0
BOUNDS = {torch.bfloat16: 2e-2, torch.float16: 4e-3, torch.float32: 1e-3}


class _Worker:
    """What a child process answers.

    Requests: {"run": name, "file": path} saves the results of two runs; {"record": launches,
    "name": name} readies the timing; {"time": number} answers the µs of a call.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.device = arguments.device
        for folder in FOLDERS.values():
            sys.path.append(str(Path(arguments.packages) / folder))
        self.name = ""
        self.operation: Operation | None = None
        self.measure: Callable[[], float] | None = None

    def __call__(self, request: Answer) -> Answer:
        if "run" in request:
            return self._run(request["run"], request["file"])
        if "record" in request:
            return self._record(request["name"], request["record"])
        assert self.measure is not None
        return {"us": self.measure()}

    def _run(self, name: str, file: str) -> Answer:
        operation = self._build(name)
        start = time.perf_counter()
        first = operation.run(copy=True)
        self._wait()
        seconds = time.perf_counter() - start
        results = [[each.cpu() for each in run] for run in (first, operation.run(copy=True))]
        torch.save(results, file)
        return {"seconds": seconds}

    def _build(self, name: str) -> Operation:
        """Build an operation with its inputs, and free those of the one before."""
        if self.operation is None or self.name != name:
            self.name, self.operation, self.measure = name, None, None
            if self.device != "cpu":
                torch.cuda.empty_cache()
            torch.manual_seed(0)
            self.operation = WORKLOADS[name](Inputs(self.device, full=self.device != "cpu"))
        return self.operation

    def _record(self, name: str, launches: int) -> Answer:
        """Ready the timing of some launches; 0 to choose a number."""
        run = self._build(name).run
        if self.device == "cpu":
            self.measure = lambda: _host_us(run)
            return {"launches": 1, "how": "host"}
        run()
        launches = launches or max(1, math.ceil(RECORDED_US / _events_us(run, 3)))
        try:
            graph = record(run, launches)
            graph.replay()
            self.measure = lambda: replay_us(graph) / launches
        except Exception:
            torch.cuda.synchronize()
            self.measure = lambda: _events_us(run, launches)
            return {"launches": launches, "how": "events"}
        return {"launches": launches, "how": "graph"}

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()


def _host_us(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def _events_us(call: Callable[[], object], launches: int) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    for _ in range(launches):
        call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3 / launches


def compare(left: list[torch.Tensor], right: list[torch.Tensor]) -> float:
    """Compute the largest difference, relative to each tensor's largest value or to 1e-3."""
    if [each.shape for each in left] != [each.shape for each in right]:
        return math.inf
    return max((_difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)


def _difference(left: torch.Tensor, right: torch.Tensor) -> float:
    a, b = left.double(), right.double()
    if not torch.equal(a.isnan(), b.isnan()):
        return math.inf
    a, b = a.nan_to_num(), b.nan_to_num()
    scale = max(b.abs().max().item(), 1e-3) if b.numel() else 1.0
    return (a - b).abs().max().item() / scale if a.numel() else 0.0


def run_both(
    name: str, processes: dict[str, CompilerProcess], folder: Path, deadline: float
) -> Answer:
    """Run one operation with both compilers and compare the results: a row without times.

    Args:
        name: The operation.
        processes: A process for each compiler.
        folder: A folder for the results.
        deadline: When to give up, in seconds of `time.monotonic`.
    """
    row: Answer = {"name": name}
    results: dict[str, Any] = {}
    for compiler, process in processes.items():
        file = folder / f"{compiler}.pt"
        seconds = min(CASE_SECONDS, deadline - time.monotonic())
        answer = process.ask({"run": name, "file": str(file)}, seconds)
        row[f"{compiler}_seconds"] = answer.get("seconds")
        if "error" in answer:
            row[f"{compiler}_error"] = answer["error"]
        else:
            results[compiler] = torch.load(file)
    if len(results) < len(processes):
        return row
    ours, (theirs, again) = results["weft"][0], results[COMPILERS[-1]]
    row["difference"] = compare(ours, theirs)
    rounding = max((BOUNDS.get(each.dtype, 0.0) for each in theirs), default=0.0)
    row["bound"] = max(2 * compare(again, theirs), rounding)
    return row


def time_both(row: Answer, processes: dict[str, CompilerProcess]) -> Answer:
    """Add the times of both compilers and their ratio to a row of `run_both`."""
    row, launches = dict(row), 0
    for compiler in reversed(COMPILERS):  # Triton decides the number
        request = {"record": launches, "name": row["name"]}
        answer = processes[compiler].ask(request, CASE_SECONDS)
        if "error" in answer:
            return row | {f"{compiler}_error": answer["error"]}
        launches, row[f"{compiler}_how"] = answer["launches"], answer["how"]
    times: dict[str, list[float]] = {compiler: [] for compiler in COMPILERS}
    for number in range(ROUNDS):
        for compiler in COMPILERS if number % 2 else reversed(COMPILERS):
            answer = processes[compiler].ask({"time": number}, CASE_SECONDS)
            if "error" in answer:
                return row | {f"{compiler}_error": answer["error"]}
            times[compiler].append(answer["us"])
    row |= {f"{compiler}_us": median(values) for compiler, values in times.items()}
    pairs = zip(times["triton"], times["weft"], strict=True)
    row["ratio"] = median(theirs_us / ours_us for theirs_us, ours_us in pairs)
    return row


def agrees(row: Answer) -> bool:
    """Check that a row has times, and that the results agree within the bound."""
    return "ratio" in row and row["difference"] <= row["bound"]


def table_row(row: Answer) -> list[str]:
    """Format a row."""
    errors = [f"{each}: {row[f'{each}_error']}" for each in COMPILERS if f"{each}_error" in row]
    if errors:
        return [row["name"], "; ".join(errors).partition("\n")[0][:200], "", "", ""]
    verdict = "" if row["difference"] <= row["bound"] else " !"
    difference = f"{row['difference']:.1e} of {row['bound']:.1e}{verdict}"
    if "ratio" not in row:
        return [row["name"], difference, "", "", ""]
    times = [f"{row['weft_us']:.1f}", f"{row['triton_us']:.1f}", f"{row['ratio']:.2f}"]
    return [row["name"], difference, *times]


@dataclass(slots=True)
class _Table:
    """The rows so far; each is printed and saved as soon as it has results, and with its times."""

    json: str
    rows: dict[str, Answer] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, row: Answer) -> None:
        with self.lock:
            self.rows[row["name"]] = row
            print(" | ".join(table_row(row)), file=sys.stderr, flush=True)
            if self.json:
                Path(self.json).write_text(json.dumps(list(self.rows.values()), indent=1))


def _run_all(
    names: queue.SimpleQueue[str], processes: Processes, table: _Table, deadline: float
) -> list[Answer]:
    """Run operations until there are none left, or no time; return the rows with results."""
    rows: list[Answer] = []
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < deadline:
            try:
                name = names.get_nowait()
            except queue.Empty:
                break
            row = run_both(name, processes.start(), Path(folder), deadline)
            table.put(row)
            if "difference" in row:
                rows.append(row)
    return rows


def _compare_all(arguments: argparse.Namespace, table: _Table) -> None:
    """Run all operations of the options with both compilers, then time them one by one."""
    start = time.monotonic()
    names: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in each_name(WORKLOADS, arguments):
        names.put(name)
    child = ["--packages", arguments.packages, "--device", arguments.device]
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(arguments.jobs) as threads:
        pairs = [
            stack.enter_context(Processes(__spec__.name, child, arguments.device))
            for _ in range(arguments.jobs)
        ]
        last_run = start + arguments.seconds / 2
        runs = [threads.submit(_run_all, names, pair, table, last_run) for pair in pairs]
        wait(runs)
        for pair, run in zip(pairs, runs, strict=True):
            for row in run.result():
                if time.monotonic() >= start + arguments.seconds:
                    break
                timed = time_both(row, pair.start())
                table.put(timed)
                if "events" in {timed.get(f"{compiler}_how") for compiler in COMPILERS}:
                    pair.end()  # a capture that failed leaves torch's random numbers unusable


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", required=True, help="the folder of the packages' sources")
    parser.add_argument("--jobs", type=int, default=1, help="pairs of processes that compile")
    add_options(parser, "operation")
    return parser.parse_args()


def main() -> None:
    """Print the table."""
    arguments = _parse()
    if arguments.serve:
        serve(_Worker(arguments))
        return
    table = _Table(arguments.json)
    _compare_all(arguments, table)
    rows = list(table.rows.values())
    headings = ("difference", "weft", "Triton", "Triton / weft")
    print_table(f"µs on {arguments.device}", headings, map(table_row, rows), width=120)
    # The time of a wrong result is no time.
    if ratios := [row["ratio"] for row in rows if agrees(row)]:
        text = f"geometric mean of Triton / weft: {geometric_mean(ratios):.2f}"
        print(f"{text} of {len(ratios)} operations whose results agree, of {len(rows)}")


if __name__ == "__main__":
    main()
