"""The time of every step: MLIR's report in a pipe, a table on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Clock"]

_RULE = f"===-{'-' * 73}-==="


class Clock:
    """Add up the seconds of steps by name, and print them when all is done."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._seconds: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str, less: str | None = None) -> Iterator[list[float]]:
        """Add the time of what runs inside to `name`.

        Args: less: the step to which the seconds appended to the yielded list go instead.
        """
        inner: list[float] = []
        start = time.perf_counter()
        if less is not None:
            self._add(less, 0.0)
        try:
            yield inner
        finally:
            elapsed = time.perf_counter() - start
            if less is not None:
                self._add(less, sum(inner))
            self._add(name, elapsed - sum(inner))

    def _add(self, name: str, seconds: float) -> None:
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def rows(self, *, slowest_first: bool) -> list[tuple[str, float, float]]:
        """Return (name, seconds, share of the total in 0..1) of every step and of the total."""
        total = time.perf_counter() - self._start
        steps = list(self._seconds.items())
        if slowest_first:
            steps.sort(key=lambda step: -step[1])
        steps += [("Rest", total - sum(self._seconds.values())), ("Total", total)]
        return [(name, seconds, seconds / total) for name, seconds in steps]

    def report(self, *, slowest_first: bool) -> None:
        """Print the table on stderr."""
        rows = self.rows(slowest_first=slowest_first)
        if sys.stderr.isatty():
            _print_table(rows)
        else:
            print(_plain(rows), file=sys.stderr)


def _plain(rows: list[tuple[str, float, float]]) -> str:
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
