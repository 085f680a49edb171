"""Record the decisions of passes in the ledger, by the value that each decision is about.

    if enabled():
        record_decision(self, load.result, str(encoding), "the widest access of the slice")

The name of the operation and its source position come from the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.decisions import Candidate, Cost, Decision, collected, enabled, record
from weft.ir import locations, types
from weft.ir.rewriting import walk
from weft.passes.registry import Pass

__all__ = [
    "Candidate",
    "Cost",
    "enabled",
    "record_decision",
    "record_remaining_layouts",
    "snapshot_layouts",
    "source_position",
]


def source_position(value: SSAValue) -> str:
    """Format the source position of a value as "file:line:column", "" if it is unknown.

    A block argument has the position of the operation that contains the block.
    """
    operation = _operation_of(value)
    position = None if operation is None else locations.position(operation.location)
    return "" if position is None else f"{position.file}:{position.line}:{position.column}"


def _operation_of(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner.parent_op() if isinstance(owner, Block) else owner


def record_decision(
    by: Pass,
    value: SSAValue,
    choice: str,
    reason: str,
    *,
    candidates: Iterable[Candidate] = (),
    facts: Iterable[tuple[str, str]] = (),
    anchor: str = "",
    costs: Iterable[Cost] = (),
) -> None:
    """Record a decision about a value, if decisions are being collected.

    Args:
        by: The pass that decided.
        value: The value that the decision is about.
        choice: See `weft.decisions.Decision`, as for all that follow.
        reason: The rule that decided, in one sentence.
        candidates: The candidates, the chosen one included.
        facts: The numbers that the rule read.
        anchor: The operation that requested the layout.
        costs: Both sides of a cost comparison.
    """
    if not enabled():
        return
    operation = _operation_of(value)
    record(
        Decision(
            stage=by.name,
            op="" if operation is None else operation.name,
            choice=choice,
            reason=reason,
            candidates=tuple(candidates),
            location=source_position(value),
            facts=tuple(facts),
            anchor=anchor,
            costs=tuple(costs),
            value=value,
        )
    )


def snapshot_layouts(module: Operation) -> dict[SSAValue, Attribute]:
    """Collect the type of every result with a layout; empty unless decisions are collected."""
    if not enabled():
        return {}
    results = (value for op in walk(module) for value in op.results)
    return {value: value.type for value in results if types.encoding(value.type) is not None}


def record_remaining_layouts(
    by: Pass, module: Operation, before: Mapping[SSAValue, Attribute], reason: str
) -> None:
    """Record one reason for every result whose layout changed without a recorded decision.

    Args:
        by: The pass that ran.
        module: The module after the pass.
        before: The result of `snapshot_layouts` from before the pass.
        reason: The reason.
    """
    if not enabled():
        return
    recorded = {id(decision.value) for decision in collected() if decision.stage == by.name}
    for value, type_ in snapshot_layouts(module).items():
        if before.get(value) != type_ and id(value) not in recorded:
            record_decision(by, value, str(types.encoding(type_)), reason)
