"""List the loops: the stage of each operation, and how each load is pipelined or why it is not.

All entries are decisions that the passes of the stage `loops` recorded. A decision names its loop
by the source position of the loop.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from dataclasses import replace

from weft.decisions import Decision
from weft.errors import Location
from weft.explain.model import Loop, LoopLoad, ScheduledOp
from weft.passes.pipelining.decision_records import (
    LIMIT,
    MORE_STAGES,
    NOT_PIPELINED,
    SCHEDULED,
    SYNCHRONIZED,
)

__all__ = ["find_loops"]

_PASSES = frozenset(
    {
        "tritongpu-assign-latencies",
        "tritongpu-schedule-loops",
        "tritongpu-pipeline",
        "tritonamdgpu-schedule-loops",
        "tritonamdgpu-pipeline",
    }
)
_LOOP = "scf.for"
# The pass that finds out, after layouts have changed, which copies go through registers.
_COPIES, _LOAD = "tritonamdgpu-coalesce-async-copy", "tt.load"


def find_loops(decisions: Iterable[Decision]) -> tuple[Loop, ...]:
    """List the loops that decisions are about, in the order of the kernel."""
    by_loop: dict[str, list[Decision]] = {}
    for decision in decisions:
        is_copy = decision.stage == _COPIES and decision.op == _LOAD
        if decision.stage in _PASSES or is_copy:
            by_loop.setdefault(decision.anchor, []).append(decision)
    loops = [_loop(position, entries) for position, entries in by_loop.items()]
    return tuple(sorted(loops, key=lambda loop: loop.location.line if loop.location else 0))


def _loop(position: str, decisions: Sequence[Decision]) -> Loop:
    of_loop = [decision for decision in decisions if decision.op == _LOOP]
    schedule = next((each for each in reversed(of_loop) if each.choice == SCHEDULED), None)
    rejection = next((each for each in of_loop if each.choice == NOT_PIPELINED), None)
    loads = _loads(decisions)
    if schedule is not None:
        stages, limit, why = int(_fact(schedule, "stages")), "", schedule.reason
    elif rejection is not None:
        stages, limit, why = 1, _fact(rejection, LIMIT), rejection.reason
    else:
        stages, limit, why = 1, "no-load", "none of its loads is pipelined"
    return Loop(_location(position), stages, limit, why, _operations(decisions), loads)


def _loads(decisions: Sequence[Decision]) -> tuple[LoopLoad, ...]:
    """List the loads: how they are pipelined, else why they are not.

    Of several reasons it is the first one, unless a later pass rejects the whole loop.
    """
    loads: dict[tuple[str, str, str], LoopLoad] = {}
    for decision in decisions:
        if decision.op == _LOOP or decision.choice == SCHEDULED:
            continue
        key = decision.location, decision.op, _fact(decision, "type")
        if decision.stage == _COPIES:
            if (load := loads.get(key)) is not None:
                why = f"{load.why}; {decision.reason}"
                loads[key] = replace(load, method=decision.choice, why=why)
            continue
        is_pipelined = decision.choice != NOT_PIPELINED
        is_of_loop = _fact(decision, LIMIT) == SYNCHRONIZED.limit
        if is_pipelined or is_of_loop or key not in loads:
            loads[key] = _load(decision, is_pipelined)
    return tuple(loads.values())


def _load(decision: Decision, is_pipelined: bool) -> LoopLoad:
    distance, buffers, size = (
        int(_fact(decision, name) or 0) for name in ("distance", "buffers", "bytes")
    )
    return LoopLoad(
        op=decision.op,
        value=_fact(decision, "value"),
        location=_location(decision.location),
        type=_fact(decision, "type"),
        method=decision.choice if is_pipelined else "",
        limit=_fact(decision, LIMIT),
        why=decision.reason,
        distance=distance,
        buffers=buffers,
        shared_bytes=size,
        more_stages=int(_fact(decision, MORE_STAGES) or 0),
    )


def _operations(decisions: Sequence[Decision]) -> tuple[ScheduledOp, ...]:
    return tuple(
        ScheduledOp(
            op=decision.op,
            value=_fact(decision, "value"),
            location=_location(decision.location),
            stage=int(_fact(decision, "stage")),
            cluster=int(_fact(decision, "cluster")),
        )
        for decision in decisions
        if decision.choice == SCHEDULED and decision.op != _LOOP
    )


def _fact(decision: Decision, name: str) -> str:
    return dict(decision.facts).get(name, "")


def _location(position: str) -> Location | None:
    """Parse "file:line:column", and read the line."""
    if not position:
        return None
    file, line, _ = position.rsplit(":", 2)
    text = linecache.getline(file, int(line)).rstrip("\n")
    return Location(file, int(line), source=text)
