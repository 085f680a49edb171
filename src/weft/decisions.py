"""The decision ledger: what passes chose, between which candidates, and why.

    with collecting() as decisions:
        run_pipeline(passes, module)
    decisions[0].choice    # "#ttg.blocked<{sizePerThread = [1, 4], …}>"

A pass calls `record` for each choice. Without a collector that costs one look-up; expensive details
are computed under `if enabled():`. Positions and layouts are recorded as text, as reports print
them. This module imports nothing of weft.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from msgspec import Struct

__all__ = ["Candidate", "Cost", "Decision", "collected", "collecting", "enabled", "record"]


class Candidate(Struct, frozen=True):
    """An alternative that a pass considered.

    Attributes:
        choice: The layout, instruction or position.
        score: Its rating, in words.
    """

    choice: str
    score: str = ""


class Cost(Struct, frozen=True):
    """One side of a cost comparison.

    Attributes:
        side: The alternative: "convert_layout", "rematerialise".
        total: Its cost.
        terms: The (name, cost) pairs that the total sums.
    """

    side: str
    total: int
    terms: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a pass made.

    Attributes:
        stage: The name of the pass.
        op: The name of the operation.
        choice: The choice.
        reason: The rule that decided, in one sentence.
        candidates: All candidates, with the choice.
        location: The source position "file:line:column" in the kernel, "" if unknown.
        facts: The (name, value with unit) pairs that the rule depends on.
        anchor: The operation and source position that the layout comes from.
        costs: Both sides of the cost comparison, if there was one.
        value: The IR value that the decision is about. It is not part of equality.
    """

    stage: str
    op: str
    choice: str
    reason: str
    candidates: tuple[Candidate, ...] = ()
    location: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    anchor: str = ""
    costs: tuple[Cost, ...] = ()
    value: object = field(default=None, compare=False, repr=False)


_LEDGER: ContextVar[list[Decision] | None] = ContextVar("weft_decisions", default=None)


def enabled() -> bool:
    """Check whether decisions are being collected."""
    return _LEDGER.get() is not None


def record(decision: Decision) -> None:
    """Add a decision to the ledger, if decisions are being collected."""
    ledger = _LEDGER.get()
    if ledger is not None:
        ledger.append(decision)


def collected() -> tuple[Decision, ...]:
    """Return the decisions collected so far, () without a collector."""
    return tuple(_LEDGER.get() or ())


@contextmanager
def collecting() -> Iterator[list[Decision]]:
    """Collect the decisions recorded inside, in order; an outer collector does not get them."""
    ledger: list[Decision] = []
    token = _LEDGER.set(ledger)
    try:
        yield ledger
    finally:
        _LEDGER.reset(token)
