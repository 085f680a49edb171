"""Measure a file's BENCHES beside their baselines, size by size."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from weft.cli.bench.limits import Limits
from weft.cli.bench.request import Request
from weft.cli.output import console, write
from weft.errors import WeftError, did_you_mean
from weft.testing.bench import Bench, Row, measure
from weft.testing.svg_plot import line_plot

__all__ = ["run_benches"]


def run_benches(
    all_benches: Sequence[Bench],
    kernel_name: str,
    gpu: int | None,
    limits: Limits,
    request: Request,
) -> None:
    """Measure a file's BENCHES, print a table or JSON of each, and draw plots on request.

    Args:
        all_benches: The file's BENCHES.
        kernel_name: The kernel to measure; "" for all.
        gpu: The number of the GPU; None for the CPU.
        limits: The limits that apply.
        request: The arguments of the command line.

    Raises:
        WeftError: No bench measures that kernel.
    """
    benches = _select(all_benches, kernel_name)
    as_json, plot = request.as_json, request.plot
    for bench in benches:
        name = bench.name
        rows = measure(bench, gpu, request.budget, limits.board)
        if as_json:
            document = {
                "kernel": name,
                "device": "cpu" if gpu is None else f"cuda:{gpu}",
                "unit": bench.unit,
                "rows": [_row_object(row, bench.size_name) for row in rows],
            }
            write(json.dumps(document, indent=2) + "\n", "-")
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


def _select(benches: Sequence[Bench], kernel_name: str) -> list[Bench]:
    selected = [bench for bench in benches if kernel_name in ("", bench.name)]
    if not selected:
        names = sorted({bench.name for bench in benches})
        raise WeftError(
            f"BENCHES of the file do not measure {kernel_name}",
            found=kernel_name,
            accepted=names,
            hint=did_you_mean(kernel_name, names),
        )
    return selected


def _row_object(row: Row, size_name: str) -> dict[str, object]:
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
