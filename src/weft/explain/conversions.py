"""List the remaining conversions: their plans, costs, anchors, and the cost of removing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.analysis.access_width import compute_width, count_sectors, find_addresses
from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.errors import LayoutError
from weft.explain.anchors import find_anchor_above, find_anchor_below, is_anchor
from weft.explain.labels import Labels, element_bits, loop_depth, shape_text, tensor_bytes
from weft.explain.model import LOOP_ITERATIONS, Change, Conversion
from weft.ir import types
from weft.ir.rewriting import walk
from weft.ir.ttg import ConvertLayoutOp
from weft.layouts import Encoding
from weft.layouts.plans import conversion as plan_conversion
from weft.layouts.plans.cost import Cost
from weft.layouts.shared_memory import SharedMemory

__all__ = ["find_conversions"]

_BARRIER_CYCLES = 20
_DOTS_WITH_FIXED_LAYOUTS = ("tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5")

_Plan = tuple[str, tuple[tuple[str, int], ...], Cost]  # kind, instructions by name, cost
_UNKNOWN_PLAN: _Plan = ("unknown", (), Cost())


@dataclass(frozen=True, slots=True)
class _Context:
    """What every conversion of a module needs.

    Attributes:
        labels: The names of values and layouts.
        memory: The shared memory of the target, if it has one.
        num_warps: The warps of a program.
        facts: The axis information of the module.
        history: The layout changes of each value.
    """

    labels: Labels
    memory: SharedMemory | None
    num_warps: int
    facts: ModuleAxisInfo
    history: Mapping[SSAValue, tuple[Change, ...]]


def find_conversions(
    module: ModuleOp,
    labels: Labels,
    memory: SharedMemory | None,
    num_warps: int,
    history: Mapping[SSAValue, tuple[Change, ...]],
) -> Iterator[Conversion]:
    """Yield every convert_layout of a module.

    Args:
        module: The module.
        labels: Its names.
        memory: The shared memory of the target; without it, all plans are "unknown".
        num_warps: The warps of a program.
        history: The layout changes of each value.
    """
    context = _Context(labels, memory, num_warps, axis_info(module), history)
    for op in walk(module):
        if isinstance(op, ConvertLayoutOp):
            yield _conversion(op, context)


def _conversion(op: ConvertLayoutOp, context: _Context) -> Conversion:
    labels = context.labels
    before, after = op.src.type, op.result.type
    kind, instructions, cost = _plan(op, context.memory)
    depth = loop_depth(op)
    # Passes are counted for all warps; the estimate is for one.
    passes = cost.write_passes + cost.read_passes
    passes_per_warp = passes // max(1, context.num_warps)
    cycles = cost.instructions + cost.moves + passes_per_warp + _BARRIER_CYCLES * cost.barriers
    return Conversion(
        value=labels.value(op.result),
        location=labels.line(op),
        type=shape_text(before),
        before=labels.layout(before),
        after=labels.layout(after),
        size_bytes=tensor_bytes(before),
        loop_depth=depth,
        plan=kind,
        instructions=instructions,
        barriers=cost.barriers,
        shared_bytes=cost.shared_bytes,
        passes=passes,
        conflicts=cost.write_conflicts + cost.read_conflicts,
        cost=cycles * LOOP_ITERATIONS**depth,
        anchors=(find_anchor_above(op.src, labels), find_anchor_below(op.result, labels)),
        removal=tuple(_removal_costs(op, context)),
    )


def _plan(op: ConvertLayoutOp, memory: SharedMemory | None) -> _Plan:
    source, target = types.encoding(op.src.type), types.encoding(op.result.type)
    if memory is None or source is None or target is None:
        return _UNKNOWN_PLAN
    shape = types.shape(op.src.type)
    bits = max(element_bits(op.src.type), 8)
    try:
        plan = plan_conversion(source.linear(shape), target.linear(shape), bits, memory)
    except LayoutError:
        return _UNKNOWN_PLAN
    return plan.kind, tuple(plan.instructions.items()), plan.cost


def _removal_costs(op: ConvertLayoutOp, context: _Context) -> Iterator[str]:
    """Yield, for each way to remove a conversion, its cost in one sentence.

    The producer can have the layout of the result, or the user that of the operand; passes may
    have compared the costs of both sides already.
    """
    source, target = types.encoding(op.src.type), types.encoding(op.result.type)
    producer = _anchor_producer(op.src)
    if producer is not None and target is not None:
        name = context.labels.layout(op.result.type)
        yield from _cost_in_layout(producer, target, name, context)
    user = _anchor_user(op.result)
    if user is not None and source is not None:
        yield from _cost_in_layout(user, source, context.labels.layout(op.src.type), context)
    for change in context.history.get(op.result, ()):
        decision = change.decision
        if decision is not None and len(decision.costs) > 1:
            sides = " and ".join(f"{cost.side} {cost.total}" for cost in decision.costs)
            yield f"{decision.stage} compared {sides}: {decision.reason}"


def _anchor_producer(value: SSAValue) -> Operation | None:
    """Return the operation that defines a value, if it is an anchor."""
    owner = value.owner
    return owner if isinstance(owner, Operation) and is_anchor(owner) else None


def _anchor_user(value: SSAValue) -> Operation | None:
    """Return the only user of a value, if it is an anchor."""
    users = {use.operation for use in value.uses}
    user = next(iter(users)) if len(users) == 1 else None
    return user if user is not None and is_anchor(user) else None


def _cost_in_layout(
    op: Operation, encoding: Encoding, layout_name: str, context: _Context
) -> Iterator[str]:
    """Yield the cost of an operation in the layout of the conversion's other side."""
    addresses = find_addresses(op, context.facts)
    current = None if addresses is None else types.encoding(addresses.pointers.type)
    location = context.labels.line(op)
    place = op.name if location is None else f"{op.name} at line {location.line}"
    if addresses is None or current is None:
        if op.name.startswith(_DOTS_WITH_FIXED_LAYOUTS):
            yield f"{place} cannot have {layout_name}: its instruction fixes the layout"
        return
    width, new_width = compute_width(addresses, current), compute_width(addresses, encoding)
    cost = count_sectors(addresses, current, width.elements)
    new_cost = count_sectors(addresses, encoding, new_width.elements)
    yield (
        f"{place} in {layout_name}: {new_width.elements * addresses.bits // 8}-byte accesses "
        f"instead of {width.elements * addresses.bits // 8}, {new_cost.sectors} sectors instead of "
        f"{cost.sectors}, {new_cost.requests} requests"
    )
