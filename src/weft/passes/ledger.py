"""How a pass writes to the ledger: by the value that it decided about.

    if enabled():
        decide(self, load.result, str(encoding), "the widest access of the slice", facts=(…,))

The operation's name and its place in the kernel are read off the value.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, SSAValue

from weft.decisions import Candidate, Cost, Decision, enabled, record
from weft.ir import locations
from weft.passes.registry import Pass

__all__ = ["Candidate", "Cost", "decide", "enabled", "place_of"]


def place_of(value: SSAValue) -> str:
    """Return "file:line:column" of what makes a value, "" where that is not known."""
    owner = value.owner
    operation = owner.parent_op() if isinstance(owner, Block) else owner
    found = None if operation is None else locations.position(operation.location)
    return "" if found is None else f"{found.file}:{found.line}:{found.column}"


def decide(
    by: Pass,
    value: SSAValue,
    chose: str,
    why: str,
    *,
    over: Iterable[Candidate] = (),
    facts: Iterable[tuple[str, str]] = (),
    anchor: str = "",
    costs: Iterable[Cost] = (),
) -> None:
    """Record a decision about a value, if decisions are being collected.

    Args: as the fields of `weft.decisions.Decision`.
    """
    if not enabled():
        return
    owner = value.owner
    operation = owner.parent_op() if isinstance(owner, Block) else owner
    record(
        Decision(
            stage=by.name,
            op="" if operation is None else operation.name,
            chose=chose,
            why=why,
            over=tuple(over),
            place=place_of(value),
            facts=tuple(facts),
            anchor=anchor,
            costs=tuple(costs),
            value=value,
        )
    )
