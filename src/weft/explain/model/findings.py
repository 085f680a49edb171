"""The avoidable costs, and the edits that lower them."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location
from weft.explain.model.accesses import Access, SharedAccess
from weft.explain.model.conversions import Conversion
from weft.explain.model.dots import Dot

__all__ = ["CountChange", "Finding", "TriedEdit"]


@dataclass(frozen=True, slots=True)
class CountChange:
    """A count of one program before and after an edit.

    Attributes:
        name: "conversions", "global sectors", "registers", ….
        before: The count without the edit.
        after: The count with it; for as many elements as before, if the edit changes the share of a
            program.
    """

    name: str
    before: int
    after: int

    def __str__(self) -> str:
        if self.name.startswith("bytes "):
            return f"KiB {self.name[6:]} {self.before / 1024:.4g} → {self.after / 1024:.4g}"
        return f"{self.name} {self.before:,} → {self.after:,}"


@dataclass(frozen=True, slots=True)
class TriedEdit:
    """An edit that was applied to the compile, and improves it.

    Attributes:
        kind: "option", "argument", "hint", "operand order", "precision" or "block size"; "stages"
            for a number of stages with which the kernel fits.
        text: What to change: "num_warps=8".
        before: The counted cost without the edit, in quarter cycles of one SM or CU.
        after: The counted cost with it.
        changes: The counts that change.
    """

    kind: str
    text: str
    before: int
    after: int
    changes: tuple[CountChange, ...]

    @property
    def summary(self) -> str:
        """The edit with its changes: "num_warps=8: 2 conversions → 1; cost 2,540 → 1,270"."""
        changes = [str(each) for each in self.changes]
        if self.before:
            changes.append(f"cost {self.before:,} → {self.after:,}")
        return f"{self.text}: {', '.join(changes)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """An avoidable cost, and the edits that were tried and lower it.

    Attributes:
        cost: The estimate that ranks it, in cycles of one warp.
        about: "conversion", "memory", "shared" or "dot".
        location: The line of the kernel.
        message: The problem, in one sentence.
        entry: The entry of the report that it is about; None for the whole kernel.
        edits: The edits that improve the compile, the best first.
        trials: The number of edits that were tried for it.
        helped: Whether an edit of a finding before it helps it, too.
    """

    cost: int
    about: str
    location: Location | None
    message: str
    entry: Conversion | Access | SharedAccess | Dot | None = None
    edits: tuple[TriedEdit, ...] = ()
    trials: int = 0
    helped: bool = False

    @property
    def edit(self) -> str:
        """The text of the best edit, "" if none is known."""
        return self.edits[0].text if self.edits else ""
