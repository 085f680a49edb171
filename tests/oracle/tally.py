"""Count comparisons by kind of failure, and print them as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from tests.oracle.compare import Comparison

CAUSES = ("name", "type", "attribute", "operand")


@dataclass(slots=True)
class Tally:
    """One row of a table.

    Attributes:
        texts: The number of compared IR texts.
        identical_texts: The number of identical ones.
        ops: The number of compared ops.
        causes: The number of differing ops by cause, and of errors.
        notes: A text for each difference and error.
    """

    texts: int = 0
    identical_texts: int = 0
    ops: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, label: str, compared: Callable[[], Comparison]) -> None:
        """Count one comparison; an error on either side counts as a text that differs."""
        self.texts += 1
        try:
            result = compared()
        except Exception as error:  # an error is a row of the table and does not end the run
            self.causes["error"] += 1
            self.notes.append(f"{label}: {type(error).__name__}: {error}")
            return
        self.identical_texts += bool(result)
        self.ops += result.total
        self.causes += result.by_cause
        if not result:
            self.notes.append(f"{label}: {result}")


def show(
    console: Console,
    title: str,
    rows: dict[str, Tally],
    differences: bool,
    causes: tuple[str, ...] = CAUSES,
) -> bool:
    """Print one table; return True if all its texts are identical."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("")
    for heading in ("identical texts", "ops", *causes, "error"):
        table.add_column(heading, justify="right")
    total = Tally()
    for label, row in rows.items():
        total.texts += row.texts
        total.identical_texts += row.identical_texts
        total.ops += row.ops
        total.causes += row.causes
        table.add_row(label, *_cells(row, causes))
    table.add_section()
    table.add_row("all", *_cells(total, causes))
    console.print(table)
    if differences:
        for row in rows.values():
            for note in row.notes:
                console.print(note, markup=False, highlight=False, soft_wrap=True)
    return total.texts == total.identical_texts


def _cells(row: Tally, causes: tuple[str, ...]) -> list[str]:
    counts = [str(row.causes[cause] or "·") for cause in (*causes, "error")]
    return [f"{row.identical_texts} of {row.texts}", str(row.ops), *counts]
