"""How a pass writes to the ledger: by the value that it decided about.

    if enabled():
        decide(self, load.result, str(encoding), "the widest access of the slice", facts=(…,))

The operation's name and its place in the kernel are read off the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Attribute, Block, Operation, SSAValue

from weft.decisions import Candidate, Cost, Decision, collected, enabled, record
from weft.ir import locations, types
from weft.ir.rewriting import walk
from weft.passes.registry import Pass

__all__ = ["Candidate", "Cost", "decide", "decide_rest", "enabled", "laid_out", "place_of"]


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


def laid_out(module: Operation) -> dict[SSAValue, Attribute]:
    """Return the type of every result in a module that has a layout, if decisions are collected."""
    if not enabled():
        return {}
    results = (value for op in walk(module) for value in op.results)
    return {value: value.type for value in results if types.encoding(value.type) is not None}


def decide_rest(
    by: Pass, module: Operation, before: Mapping[SSAValue, Attribute], why: str
) -> None:
    """Record one reason for all results whose layout is new and was not decided about.

    Args: before: what `laid_out` gave when the pass began.
    """
    if not enabled():
        return
    told = {id(one.value) for one in collected() if one.stage == by.name}
    for value, type_ in laid_out(module).items():
        if before.get(value) != type_ and id(value) not in told:
            decide(by, value, str(types.encoding(type_)), why)
