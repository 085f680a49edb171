"""What a file says is to be measured: its BENCHES, size by size, beside their baselines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from weft.cli.bench.limits import Limits
from weft.cli.bench.request import Request
from weft.cli.report import console, write
from weft.errors import WeftError, did_you_mean
from weft.testing.bench import Bench, Row, measure
from weft.testing.svg_plot import line_plot

__all__ = ["run_benches"]


def run_benches(
    found: Sequence[Bench], wanted: str, gpu: int | None, limits: Limits, request: Request
) -> None:
    """Measure a file's BENCHES, and print a table or an object of each; draw plots.

    Args: wanted: the name of the one kernel to measure; "" for all.
    Raises: WeftError: none of the benches measures that kernel.
    """
    benches = _chosen(found, wanted)
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
