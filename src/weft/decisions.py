"""The ledger: what passes decided, over what, and why.

    with collecting() as decisions:
        run_pipeline(passes, module)
    decisions[0].chose     # "#blocked<{sizePerThread = [1, 4], …}>"

A pass calls `record` where it chooses. Unless somebody collects, that costs one look-up: wrap
what is dear to compute in `if enabled():`. This module imports nothing of weft; places and
layouts are told in text, which is what a report shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Decision", "collecting", "enabled", "record"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of one pass.

    stage: the pass's name.  op: the operation's name.  place: "file:line:column" of the kernel,
    "" where unknown.  chose: what was taken.  over: what it was preferred to.  why: the rule, in
    one sentence.  facts: the numbers that the rule read, as (name, value with its unit).
    """

    stage: str
    op: str
    chose: str
    why: str
    over: tuple[str, ...] = ()
    place: str = ""
    facts: tuple[tuple[str, str], ...] = ()


_LEDGER: ContextVar[list[Decision] | None] = ContextVar("weft_decisions", default=None)


def enabled() -> bool:
    """Tell whether decisions are being collected."""
    return _LEDGER.get() is not None


def record(decision: Decision) -> None:
    """Write a decision down, if decisions are being collected."""
    ledger = _LEDGER.get()
    if ledger is not None:
        ledger.append(decision)


@contextmanager
def collecting() -> Iterator[list[Decision]]:
    """Collect the decisions made inside, in order; an outer collection does not see them."""
    ledger: list[Decision] = []
    token = _LEDGER.set(ledger)
    try:
        yield ledger
    finally:
        _LEDGER.reset(token)
