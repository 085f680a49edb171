"""Measurements over a range of sizes, as a table, a CSV file and a plot: `perf_report`.

    @perf_report(
        Benchmark(
            x_names=["length"], x_vals=[1 << 12, 1 << 16], line_arg="provider",
            line_vals=["weft", "numpy"], line_names=["weft", "numpy"], ylabel="GB/s",
            plot_name="vector_add", args={},
        )
    )
    def bench(length, provider): ...                    # a number, or (middle, least, greatest)

    bench.run(print_data=True, save_path=".")           # vector_add.csv and vector_add.svg

Names and arguments are Triton's; a plot is an SVG, for which no library is needed.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.errors import WeftError
from weft.testing.svg_plot import line_plot

__all__ = ["Benchmark", "Mark", "Table", "perf_report"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What is varied, and how it is shown.

    x_names: arguments along the axis.  x_vals: their values; a tuple where they differ.
    line_arg: the argument that tells lines apart; line_vals, line_names: its values and what they
    are called.  args: arguments that stay as they are.
    x_log, y_log: logarithmic axes.  color, styles: taken, and not used.
    """

    x_names: Sequence[str]
    x_vals: Sequence[Any]
    line_arg: str
    line_vals: Sequence[Any]
    line_names: Sequence[str]
    plot_name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    xlabel: str = ""
    ylabel: str = ""
    x_log: bool = False
    y_log: bool = False
    color: Any = None
    styles: Any = None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of numbers under their names; printed with each column as wide as it must be."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        cells = [list(self.columns), *([_cell(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = (
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        )
        return "\n".join(lines)

    def write_csv(self, path: Path) -> None:
        """Write the table to a file of comma-separated values."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows)


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def perf_report(
    benchmarks: Benchmark | Sequence[Benchmark],
) -> Callable[[Callable[..., Any]], Mark]:
    """Return a decorator that turns a function that measures once into what measures all."""
    return lambda function: Mark(function, benchmarks)


class Mark:
    """A function that measures, and what it is to measure."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | Path = "",
        return_df: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Measure everything.

        Args: show_plots: tell where each plot lies, if they are saved.  print_data: print tables.
              save_path: a directory for a CSV file and an SVG of each benchmark, "" for neither.
              return_df: return the tables, as pandas' where pandas is imported.
              kwargs: further arguments of the function.
        """
        single = isinstance(self.benchmarks, Benchmark)
        wanted = (self.benchmarks,) if isinstance(self.benchmarks, Benchmark) else self.benchmarks
        tables = []
        for benchmark in wanted:
            table = _measured(self.fn, benchmark, kwargs)
            if print_data:
                sys.stdout.write(f"{benchmark.plot_name}:\n{table}\n")
            if save_path:
                plot = _save(table, benchmark, Path(save_path))
                if show_plots:
                    sys.stdout.write(f"{plot}\n")
            tables.append(_as_frame(table))
        if not return_df:
            return None
        return tables[0] if single else tables


def _measured(fn: Callable[..., Any], benchmark: Benchmark, more: Mapping[str, Any]) -> Table:
    """Return a row per value along the axis, with the numbers of each line."""
    rows: list[tuple[Any, ...]] = []
    widest = 1
    for x in benchmark.x_vals:
        place = x if isinstance(x, tuple | list) else (x,) * len(benchmark.x_names)
        if len(place) != len(benchmark.x_names):
            raise WeftError(
                "a value along the axis must name each argument",
                found=f"{x!r} for {', '.join(benchmark.x_names)}",
            )
        at = dict(zip(benchmark.x_names, place, strict=True))
        numbers: list[float] = []
        for value in benchmark.line_vals:
            found = fn(**at, **{benchmark.line_arg: value}, **benchmark.args, **more)
            line = tuple(found) if isinstance(found, tuple | list) else (found,)
            widest = max(widest, len(line))
            numbers += [float(number) for number in line]
        rows.append((*place, *numbers))
    kinds = ("", "-min", "-max")[:widest]
    names = [f"{name}{kind}" for name in benchmark.line_names for kind in kinds]
    return Table((*benchmark.x_names, *names), tuple(rows))


def _save(table: Table, benchmark: Benchmark, folder: Path) -> Path:
    """Write a table and its plot; return the plot's path."""
    folder.mkdir(parents=True, exist_ok=True)
    table.write_csv(folder / f"{benchmark.plot_name}.csv")
    series = {
        name: [(float(row[0]), float(row[table.columns.index(name)])) for row in table.rows]
        for name in benchmark.line_names
    }
    plot = folder / f"{benchmark.plot_name}.svg"
    plot.write_text(
        line_plot(
            benchmark.plot_name,
            benchmark.xlabel or " ".join(benchmark.x_names),
            benchmark.ylabel,
            series,
            log_x=benchmark.x_log,
            log_y=benchmark.y_log,
        )
    )
    return plot


def _as_frame(table: Table) -> Any:
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return table
    return pandas.DataFrame(list(table.rows), columns=list(table.columns))
