"""The time of each pass: MLIR's report in a pipe, a table on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["PassTimer"]

_RULE = f"===-{'-' * 73}-==="


class PassTimer:
    """Sum the seconds of steps by name, and print a report."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._seconds: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str, nested: str | None = None) -> Iterator[list[float]]:
        """Add the time of the block to a step.

        Args:
            name: The step.
            nested: The step that gets the seconds which the block appends to the yielded list.
        """
        nested_seconds: list[float] = []
        start = time.perf_counter()
        if nested is not None:
            self._add(nested, 0.0)
        try:
            yield nested_seconds
        finally:
            elapsed = time.perf_counter() - start
            if nested is not None:
                self._add(nested, sum(nested_seconds))
            self._add(name, elapsed - sum(nested_seconds))

    def _add(self, name: str, seconds: float) -> None:
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def rows(self, *, slowest_first: bool) -> list[tuple[str, float, float]]:
        """List name, seconds and share of the total of each step, and of the total."""
        total = time.perf_counter() - self._start
        steps = list(self._seconds.items())
        if slowest_first:
            steps.sort(key=lambda step: -step[1])
        steps += [("Rest", total - sum(self._seconds.values())), ("Total", total)]
        return [(name, seconds, seconds / total) for name, seconds in steps]

    def report(self, *, slowest_first: bool) -> None:
        """Print the report on stderr."""
        rows = self.rows(slowest_first=slowest_first)
        if sys.stderr.isatty():
            _print_table(rows)
        else:
            print(_report_text(rows), file=sys.stderr)


def _report_text(rows: list[tuple[str, float, float]]) -> str:
    lines = [
        _RULE,
        "... Execution time report ...".center(len(_RULE)).rstrip(),
        _RULE,
        f"  Total Execution Time: {rows[-1][1]:.4f} seconds",
        "",
        "  ----Wall Time----  ----Name----",
    ]
    lines += [f"  {seconds:8.4f} ({share:6.1%})  {name}" for name, seconds, share in rows]
    return "\n".join(lines)


def _print_table(rows: list[tuple[str, float, float]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("step", style="bold")
    table.add_column("ms", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    for name, seconds, share in rows:
        bar = "" if name == "Total" else "█" * round(share * 30)
        table.add_row(name, f"{seconds * 1e3:.2f}", f"{share:.1%}", f"[cyan]{bar}")
    Console(stderr=True).print(table)
