"""Measurements over a range of sizes, as a table, a CSV file and a plot: `perf_report`.

    @perf_report(
        Benchmark(
            x_names=["length"], x_vals=[1 << 12, 1 << 16], line_arg="provider",
            line_vals=["weft", "numpy"], line_names=["weft", "numpy"], ylabel="GB/s",
            plot_name="vector_add", args={},
        )
    )
    def bench(length, provider): ...                    # a number, or (median, min, max)

    bench.run(print_data=True, save_path=".")           # vector_add.csv and vector_add.svg

Names and arguments are those of `triton.testing`. A plot is an SVG file, which needs no library.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from weft.errors import WeftError
from weft.testing.svg_plot import line_plot

__all__ = ["Benchmark", "Mark", "Table", "perf_report"]


Measure = Callable[..., float | Sequence[float]]
"""Measures with some arguments: a number, or median, minimum and maximum."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The arguments that a benchmark varies, and the labels of its plot.

    Attributes:
        x_names: The arguments along the x axis.
        x_vals: The values of these arguments; a tuple where the arguments differ.
        line_arg: The argument that distinguishes the lines.
        line_vals: The values of this argument.
        line_names: The names of the lines.
        plot_name: Title of the plot, and name of the files.
        args: Constant arguments.
        xlabel: Label of the x axis; "" for the names of the arguments.
        ylabel: Label of the y axis.
        x_log: Whether the x axis is logarithmic.
        y_log: Whether the y axis is logarithmic.
        styles: Accepted for Triton's programs, and ignored.
        color: Accepted for Triton's programs, and ignored.
    """

    x_names: Sequence[str]
    x_vals: Sequence[object]
    line_arg: str
    line_vals: Sequence[object]
    line_names: Sequence[str]
    plot_name: str
    args: Mapping[str, object] = field(default_factory=dict)
    xlabel: str = ""
    ylabel: str = ""
    x_log: bool = False
    y_log: bool = False
    styles: object = None
    color: object = None


@dataclass(frozen=True, slots=True)
class Table:
    """The results of a benchmark.

    Attributes:
        columns: Names of the columns.
        rows: One row per value along the x axis.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

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
) -> Callable[[Measure], Mark]:
    """Create a decorator that runs a function over a benchmark."""
    return lambda function: Mark(function, benchmarks)


class Mark:
    """A function that measures, and the benchmarks to run it over."""

    def __init__(self, fn: Measure, benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | Path = "",
        return_df: bool = False,
        **kwargs: object,
    ) -> Any:
        """Measure everything.

        Args:
            show_plots: Print the path of each plot that is saved.
            print_data: Print the tables.
            save_path: A directory for a CSV file and an SVG file of each benchmark; "" for none.
            return_df: Return the tables, as DataFrames if pandas is installed.
            kwargs: More arguments of the function.

        Raises:
            WeftError: A tuple of `x_vals` does not have the length of `x_names`.
        """
        is_single = isinstance(self.benchmarks, Benchmark)
        benchmarks = (
            (self.benchmarks,) if isinstance(self.benchmarks, Benchmark) else self.benchmarks
        )
        tables = []
        for benchmark in benchmarks:
            table = _measure(self.fn, benchmark, kwargs)
            if print_data:
                sys.stdout.write(f"{benchmark.plot_name}:\n{table}\n")
            if save_path:
                plot = _save(table, benchmark, Path(save_path))
                if show_plots:
                    sys.stdout.write(f"{plot}\n")
            tables.append(_as_data_frame(table) if return_df else table)
        if not return_df:
            return None
        return tables[0] if is_single else tables


def _measure(fn: Measure, benchmark: Benchmark, kwargs: Mapping[str, object]) -> Table:
    rows: list[tuple[object, ...]] = []
    numbers_per_line = 1
    for x in benchmark.x_vals:
        values = x if isinstance(x, tuple | list) else (x,) * len(benchmark.x_names)
        if len(values) != len(benchmark.x_names):
            raise WeftError(
                f"Expected {len(benchmark.x_names)} values, got {x!r}",
                found=f"{x!r} for {', '.join(benchmark.x_names)}",
            )
        x_args = dict(zip(benchmark.x_names, values, strict=True))
        numbers: list[float] = []
        for line_value in benchmark.line_vals:
            result = fn(**x_args, **{benchmark.line_arg: line_value}, **benchmark.args, **kwargs)
            line = tuple(result) if isinstance(result, Sequence) else (result,)
            numbers_per_line = max(numbers_per_line, len(line))
            numbers += [float(number) for number in line]
        rows.append((*values, *numbers))
    suffixes = ("", "-min", "-max")[:numbers_per_line]
    names = [f"{name}{suffix}" for name in benchmark.line_names for suffix in suffixes]
    return Table((*benchmark.x_names, *names), tuple(rows))


def _number(cell: object) -> float:
    return float(cast("float", cell))


def _save(table: Table, benchmark: Benchmark, folder: Path) -> Path:
    """Write a table and its plot; return the plot's path."""
    folder.mkdir(parents=True, exist_ok=True)
    table.write_csv(folder / f"{benchmark.plot_name}.csv")
    series = {
        name: [(_number(row[0]), _number(row[table.columns.index(name)])) for row in table.rows]
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


def _as_data_frame(table: Table) -> object:
    try:
        pandas = import_module("pandas")
    except ImportError:
        return table
    return pandas.DataFrame(list(table.rows), columns=list(table.columns))
