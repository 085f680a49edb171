"""Record why loops and their loads are pipelined or not, and the schedule of each loop.

    if enabled():
        record_load(PASS, load, loop, Rejection("no-dot", "it feeds no dot"))

A record names its loop by the source position of the loop (`anchor`). `weft explain` prints these
records; the passes do not read them.
"""

from __future__ import annotations

from math import prod

from msgspec import Struct

from weft.decisions import Decision, enabled, record
from weft.ir import locations, scf, tt, ttg, types
from weft.ir.builtin import Operation
from weft.ir.kernel_positions import kernel_position
from weft.passes.pipelining.loop_queries import is_outer_loop, yields_block_argument
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = [
    "CONDITIONAL",
    "DISTANCE_ABOVE_ONE",
    "LIMIT",
    "MORE_STAGES",
    "NARROW",
    "NOT_PIPELINED",
    "OUTER_LOOP",
    "SAME_STAGE",
    "SCHEDULED",
    "SINGLE_STAGE",
    "SYNCHRONIZED",
    "Rejection",
    "enabled",
    "record_conditional_loads",
    "record_copy_by_registers",
    "record_load",
    "record_pipelined_load",
    "record_rejected_loop",
    "record_schedule",
    "rejection_of_structure",
]

NOT_PIPELINED = "not pipelined"
SCHEDULED = "scheduled"
# The names of the facts with the fields of a rejection.
LIMIT, MORE_STAGES = "limit", "more stages"

_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)


class Rejection(Struct, frozen=True):
    """Why a load or a loop is not pipelined.

    Attributes:
        limit: A code for programs: "num_stages", "no-dot", "narrow", …
        reason: The reason, and what a kernel's author can change.
        more_stages: The number of stages with which it is pipelined, 0 if there is none.
    """

    limit: str
    reason: str
    more_stages: int = 0


OUTER_LOOP = Rejection(
    "nested",
    "the loop contains another loop, and only innermost loops are pipelined",
)
CONDITIONAL = Rejection(
    "conditional",
    "it is inside an if, and only loads directly in the body of the loop are pipelined",
)
DISTANCE_ABOVE_ONE = Rejection(
    "distance",
    "a variable takes the value that another one had in the previous iteration, so a dependence "
    "spans more than one iteration; compute it from the loop's index",
)
SYNCHRONIZED = Rejection(
    "barrier",
    "the loop contains a barrier, a device_assert or a device_print, which fix the order of "
    "iterations",
)
SINGLE_STAGE = Rejection("num_stages", "num_stages=1; num_stages=2 or more pipelines it", 2)
SAME_STAGE = Rejection(
    "same-stage",
    "the IR sets tt.latency or loop.stage in this loop, which puts its first use in its own stage",
)
NARROW = Rejection("narrow", "a thread copies fewer than the 4 bytes that cp.async takes at least")


def rejection_of_structure(loop: scf.ForOp) -> Rejection | None:
    """Check whether the structure of a loop prevents pipelining; None if it does not."""
    if is_outer_loop(loop):
        return OUTER_LOOP
    return DISTANCE_ABOVE_ONE if yields_block_argument(loop) else None


def record_load(by: str, load: Operation, loop: scf.ForOp, rejection: Rejection) -> None:
    """Record why a load is not pipelined.

    Args:
        by: The name of the pass.
        load: The load.
        loop: The loop around it.
        rejection: The reason.
    """
    facts = ((LIMIT, rejection.limit), (MORE_STAGES, str(rejection.more_stages)))
    _record(by, load, loop, NOT_PIPELINED, rejection.reason, facts)


def record_pipelined_load(
    by: str, load: Operation, loop: scf.ForOp, method: str, distance: int, buffers: int
) -> None:
    """Record how a load is pipelined.

    Args:
        by: The name of the pass.
        load: The load.
        loop: The loop around it.
        method: "cp.async", "TMA", "direct-to-LDS" or "registers".
        distance: The number of iterations between the load and its first use.
        buffers: The number of buffers in shared memory.
    """
    if not enabled():
        return
    type_ = load.results[0].type
    size = buffers * prod(types.shape(type_)) * types.bit_width(type_) // 8
    reason = f"loaded {distance} iteration{'s' * (distance != 1)} before its first use"
    if isinstance(load, tt.LoadOp) and load.other is not None and method == "cp.async":
        reason += "; masked elements get their value by a select after the copy"
    facts = (("distance", str(distance)), ("buffers", str(buffers)), ("bytes", str(size)))
    _record(by, load, loop, method, reason, facts)


def record_copy_by_registers(by: str, copy: ttg.AsyncCopyGlobalToLocalOp) -> None:
    """Record that a copy of a loop goes through registers, unlike it was planned.

    Args:
        by: The name of the pass.
        copy: The copy that a pipelined load became.
    """
    loop = _innermost_loop(copy)
    memory = copy.result.type
    if loop is None or not isinstance(memory, ttg.MemDescType):
        return
    record(
        Decision(
            stage=by,
            op=tt.LoadOp.name,
            choice="registers",
            reason="through registers, because the lanes of a warp would not write contiguously",
            location=_position(copy),
            facts=(("type", "x".join([*map(str, memory.shape), str(memory.element_type)])),),
            anchor=_position(loop),
        )
    )


def record_rejected_loop(by: str, loop: scf.ForOp, rejection: Rejection) -> None:
    """Record why a loop, and so each of its loads, is not pipelined."""
    if not enabled():
        return
    facts = ((LIMIT, rejection.limit),)
    _record(by, loop, loop, NOT_PIPELINED, rejection.reason, facts)
    for op in loop.walk():
        if isinstance(op, _LOADS) and _innermost_loop(op) is loop:
            record_load(by, op, loop, rejection)


def record_conditional_loads(by: str, loop: scf.ForOp) -> None:
    """Record that the loads inside of conditions of a loop are not pipelined."""
    for op in loop.walk():
        if isinstance(op, _LOADS) and op.parent_op() is not loop and _innermost_loop(op) is loop:
            record_load(by, op, loop, CONDITIONAL)


def record_schedule(by: str, loop: scf.ForOp, schedule: LoopSchedule) -> None:
    """Record the stage and cluster of each operation of a loop."""
    if not enabled():
        return
    stages = (("stages", str(schedule.num_stages)),)
    _record(
        by, loop, loop, SCHEDULED, f"iterations overlap in {schedule.num_stages} stages", stages
    )
    for op in loop.block.ops:
        position = schedule.get(op)
        is_replaced = isinstance(op, _LOADS) and op.results[0].first_use is None
        if position is not None and not is_replaced:
            stage, cluster = position
            facts = (("stage", str(stage)), ("cluster", str(cluster.index)))
            _record(by, op, loop, SCHEDULED, "", facts)


def _record(
    by: str,
    op: Operation,
    loop: scf.ForOp,
    choice: str,
    reason: str,
    facts: tuple[tuple[str, str], ...],
) -> None:
    name = (
        f"%{op.location.desc.data}"
        if isinstance(op.location, locations.NameLoc) and op.results
        else ""
    )
    shape = ""
    if op.results and (types.is_tensor(op.results[0].type)):
        type_ = op.results[0].type
        shape = "x".join([*map(str, types.shape(type_)), str(types.element(type_))])
    record(
        Decision(
            stage=by,
            op=op.name,
            choice=choice,
            reason=reason,
            location=_position(op),
            facts=(("value", name), ("type", shape), *facts),
            anchor=_position(loop),
        )
    )


def _innermost_loop(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, scf.ForOp | scf.WhileOp):
        parent = parent.parent_op()
    return parent


def _position(op: Operation) -> str:
    position = kernel_position(op.location)
    return "" if position is None else f"{position.file}:{position.line}:{position.column}"
