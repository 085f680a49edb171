"""Time a call: the median of several runs after one that is not counted; print what was timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from rich.console import Console
from rich.table import Table


def milliseconds(call: Callable[[], object], runs: int = 5, warm: bool = True) -> float:
    """Return the median time of `runs` calls in ms, after one uncounted call where `warm`."""
    if warm:
        call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return median(times)


def show_ms(value: float) -> str:
    """Return ms with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def print_table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], width: int
) -> None:
    """Print a table whose first column has the names of what was timed.

    Args: headings: of the other columns.  width: of the screen, in characters.
    """
    table = Table("", title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=width).print(table)
