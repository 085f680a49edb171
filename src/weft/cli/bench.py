"""`weft bench FILE.py[::KERNEL]`: how fast kernels are, and what share of a board's limit that is.

A file that says what to measure, in BENCHES, is measured so, beside the baselines that it names.
Any other file is run as a program, and the launches that it makes are (launches.py).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from weft.cli.report import console, write
from weft.errors import UnknownTargetError, WeftError, did_you_mean
from weft.records import dataclass
from weft.runtime.devices import current_gpu
from weft.runtime.drivers.cuda import CudaDriver
from weft.runtime.files import load
from weft.targets import target
from weft.targets.boards import Board, board, boards, known_boards
from weft.testing.bench import Bench, Row, measure
from weft.testing.svg_plot import line_plot

_DEVICES = ("cpu", "cuda")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line.

    file: with "::KERNEL" perhaps.  call: Python to evaluate in the file in place of running it.
    target: a board, or a chip, whose limits count.  budget: ms for each measurement.
    """

    file: str
    arguments: Sequence[str] = ()
    call: str | None = None
    device: str | None = None
    target: str | None = None
    budget: float = 100.0
    as_json: bool = False
    plot: str | None = None


def run(request: Request) -> None:
    """Measure, and print a table or an object; draw a plot where a path is given.

    Raises: WeftError: a file that launches nothing, a kernel that has no bench, a device that is
            not there, a board that nobody knows.
    """
    path, _, wanted = request.file.partition("::")
    gpu = _gpu(request.device)
    limits = limits_of(request.target, gpu)
    found: list[Bench] = []
    if request.call is None:
        found = list(getattr(load(path), "BENCHES", ()))
    if found:
        _run_benches(_chosen(found, wanted), gpu, limits, request)
    elif request.plot is not None:
        raise WeftError(
            "a plot is drawn over the sizes of a file's BENCHES", found=f"no BENCHES in {path}"
        )
    else:
        from weft.cli.bench_launches import run_launches

        run_launches(Path(path), wanted, gpu, limits, request)


def _run_benches(
    benches: Sequence[Bench], gpu: int | None, limits: Limits, request: Request
) -> None:
    as_json, plot = request.as_json, request.plot
    for bench in benches:
        name = bench.kernel.__name__
        rows = measure(bench, gpu, request.budget, limits.board)
        if as_json:
            said = {
                "kernel": name,
                "device": "cpu" if gpu is None else f"cuda:{gpu}",
                "unit": bench.unit,
                "rows": [_plain(row, bench.size_name) for row in rows],
            }
            write(json.dumps(said, indent=2) + "\n", "-")
        else:
            console().print(f"{name}  {'this CPU' if gpu is None else f'GPU {gpu}'}")
            console().print(_table(bench, rows))
        if plot is not None:
            series = {
                each: [(float(row.size), row.rates[each]) for row in rows] for each in rows[0].rates
            }
            picture = line_plot(name, bench.size_name, bench.unit, series, log_x=True)
            target = Path(plot)
            if len(benches) > 1:
                target = target.with_name(f"{target.stem}-{name}{target.suffix}")
            target.write_text(picture)


def _chosen(found: Sequence[Bench], wanted: str) -> list[Bench]:
    chosen = [one for one in found if wanted in ("", one.kernel.__name__)]
    if not chosen:
        names = sorted({one.kernel.__name__ for one in found})
        raise WeftError(
            "the file's BENCHES do not measure this",
            found=wanted,
            accepted=names,
            hint=did_you_mean(wanted, names),
        )
    return chosen


@dataclass(frozen=True, slots=True)
class Limits:
    """Whose limits times are held against.

    board: None where none is known.  is_here: whether it is the device that is measured.
    """

    board: Board | None
    is_here: bool


def limits_of(wanted: str | None, gpu: int | None) -> Limits:
    """Return the limits to hold times against: of the GPU, or of what was asked for.

    Args: wanted: a board's name, a driver's name for one, or a chip, which stands for the first
          of its boards; None for the GPU itself.
    Raises: UnknownTargetError: there is no such board or chip.  WeftError: none with that chip.
    """
    here = None if gpu is None else _board_here(gpu)
    if wanted is None:
        return Limits(here, is_here=True)
    chosen = _board_of(wanted)
    if chosen is None:
        with_chip = boards(wanted) if _is_chip(wanted) else (board(wanted),)
        if not with_chip:
            raise WeftError(
                f"no limits are known of a board with {wanted}",
                found=wanted,
                accepted=[each.name for each in known_boards()],
            )
        chosen = here if here in with_chip else with_chip[0]
    return Limits(chosen, is_here=chosen is here)


def _board_here(gpu: int) -> Board | None:
    """Return the board of a GPU; of one without a row, what its driver says of memory."""
    driver = CudaDriver.get()
    name = driver.name_of(gpu)
    found = _board_of(name)
    if found is not None:
        return found
    clock = driver.attribute(gpu, "MEMORY_CLOCK_RATE")  # kHz; memory answers twice in each
    width = driver.attribute(gpu, "GLOBAL_MEMORY_BUS_WIDTH")  # bits
    rate = 2 * clock * 1e3 * width // 8 * 1e-9
    return Board(name, (name,), int(rate), source="its driver") if rate else None


def _board_of(name: str) -> Board | None:
    found = (each for each in known_boards() if name in (each.name, *each.driver_names))
    return next(found, None)


def _is_chip(name: str) -> bool:
    try:
        target(name)
    except UnknownTargetError:
        return False
    return True


def _gpu(device: str | None) -> int | None:
    """Return the GPU to run on; where nothing is asked for, the one that there is."""
    if device not in (None, *_DEVICES):
        raise WeftError("unknown device", found=device, accepted=_DEVICES)
    if device == "cpu":
        return None
    if importlib.util.find_spec("torch") is not None:
        importlib.import_module("torch")
    gpu = current_gpu(used=False)
    if gpu is None and device == "cuda":
        raise WeftError("there is no GPU that torch knows of", found=device, accepted=["cpu"])
    return gpu


def _plain(row: Row, size_name: str) -> dict[str, Any]:
    return {
        size_name: row.size,
        "milliseconds": dict(row.milliseconds),
        "rates": dict(row.rates),
        "limit": row.limit,
        "fraction": row.fraction,
    }


def _table(bench: Bench, rows: list[Row]) -> Table:
    names = list(rows[0].rates)
    table = Table(bench.size_name, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("ms", *(f"{name} {bench.unit}" for name in names), "of the limit"):
        table.add_column(heading, justify="right")
    for row in rows:
        share = "" if row.fraction is None else f"{row.fraction:.1%}"
        rates = [f"{row.rates[name]:.4g}" for name in names]
        table.add_row(str(row.size), f"{row.milliseconds[names[0]]:.4g}", *rates, share)
    return table
