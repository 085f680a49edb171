"""The ledger: what passes decided, over what, and why.

    with collecting() as decisions:
        run_pipeline(passes, module)
    decisions[0].chose     # "#ttg.blocked<{sizePerThread = [1, 4], …}>"

A pass calls `record` where it chooses. Unless somebody collects, that costs one look-up: wrap
what is dear to compute in `if enabled():`. This module imports nothing of weft; places and
layouts are told in text, which is what a report shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

__all__ = ["Candidate", "Cost", "Decision", "collected", "collecting", "enabled", "record"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One choice that a pass weighed: the layout, instruction or place, and its score in words."""

    choice: str
    score: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """One side of a cost comparison: what it would be to do, its total, and what that sums.

    side: "convert_layout", "rematerialise".  terms: (what, cost), in the unit of the total.
    """

    side: str
    total: int
    terms: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of one pass.

    stage: the pass's name.  op: the operation's name.  chose: what was taken.  why: the rule that
    decided, in one sentence.  over: the candidates, the chosen one among them.  place:
    "file:line:column" of the kernel, "" where unknown.  facts: the numbers that the rule read, as
    (name, value with its unit).  anchor: the operation and place that asked for this layout.
    costs: both sides of the comparison, where one was made.  value: the IR value that it is about,
    kept only to find it again while compiling; two decisions that differ in it alone are equal.
    """

    stage: str
    op: str
    chose: str
    why: str
    over: tuple[Candidate, ...] = ()
    place: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    anchor: str = ""
    costs: tuple[Cost, ...] = ()
    value: object = field(default=None, compare=False, repr=False)


_LEDGER: ContextVar[list[Decision] | None] = ContextVar("weft_decisions", default=None)


def enabled() -> bool:
    """Tell whether decisions are being collected."""
    return _LEDGER.get() is not None


def record(decision: Decision) -> None:
    """Write a decision down, if decisions are being collected."""
    ledger = _LEDGER.get()
    if ledger is not None:
        ledger.append(decision)


def collected() -> tuple[Decision, ...]:
    """Return the decisions collected so far, () if none are being collected."""
    return tuple(_LEDGER.get() or ())


@contextmanager
def collecting() -> Iterator[list[Decision]]:
    """Collect the decisions made inside, in order; an outer collection does not see them."""
    ledger: list[Decision] = []
    token = _LEDGER.set(ledger)
    try:
        yield ledger
    finally:
        _LEDGER.reset(token)
