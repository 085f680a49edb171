"""`weft bench FILE.py[::KERNEL]`: how fast what a file's BENCHES name is, beside others."""

from __future__ import annotations

import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

from rich.table import Table

from weft.cli.report import console, write
from weft.errors import WeftError, did_you_mean
from weft.runtime.devices import current_gpu
from weft.runtime.files import load
from weft.testing.bench import Bench, Row, measure
from weft.testing.svg_plot import line_plot

_DEVICES = ("cpu", "cuda")


def run(file: str, device: str | None, budget: float, as_json: bool, plot: str | None) -> None:
    """Measure, and print a table or an object; draw a plot where a path is given.

    Raises: WeftError: a file without BENCHES, a kernel that has none, a device that is not there.
    """
    path, _, wanted = file.partition("::")
    benches = _benches(path, wanted)
    gpu = _gpu(device)
    for bench in benches:
        name = bench.kernel.__name__
        rows = measure(bench, gpu, budget)
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


def _benches(path: str, wanted: str) -> list[Bench]:
    found: list[Bench] = list(getattr(load(path), "BENCHES", ()))
    chosen = [one for one in found if wanted in ("", one.kernel.__name__)]
    if not chosen:
        names = sorted({one.kernel.__name__ for one in found})
        raise WeftError(
            "nothing to measure: the file's BENCHES say what is",
            found=wanted or f"no BENCHES in {path}",
            accepted=names,
            hint=did_you_mean(wanted, names) if wanted else "see weft.testing.Bench",
        )
    return chosen


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
