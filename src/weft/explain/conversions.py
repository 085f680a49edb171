"""The conversions that are left: what each moves, how, who disagrees, what else it would cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.decisions import Decision
from weft.errors import LayoutError
from weft.explain.anchors import anchor_ahead, anchor_behind, cares
from weft.explain.memory import addresses_of, touched, width
from weft.explain.model import TURNS, Change, Conversion
from weft.explain.places import Places
from weft.ir import types
from weft.ir.rewriting import walk
from weft.ir.ttg import ConvertLayoutOp
from weft.layouts import Encoding
from weft.layouts.plans import conversion as plan_of
from weft.layouts.plans.cost import Cost
from weft.layouts.shared_memory import SharedMemory

__all__ = ["conversions"]

_BARRIER = 20  # ticks that the warps of a block wait for each other


def conversions(
    module: ModuleOp,
    places: Places,
    memory: SharedMemory | None,
    warps: int,
    history: dict[SSAValue, tuple[Change, ...]],
) -> Iterator[Conversion]:
    """Yield every convert_layout of a module.

    Args: memory: shared memory of the chip; without it, nothing can be planned.
    """
    facts = axis_info(module)
    for op in walk(module):
        if isinstance(op, ConvertLayoutOp):
            yield _conversion(op, places, memory, warps, facts, history.get(op.result, ()))


def _conversion(
    op: ConvertLayoutOp,
    places: Places,
    memory: SharedMemory | None,
    warps: int,
    facts: ModuleAxisInfo,
    history: tuple[Change, ...],
) -> Conversion:
    before, after = op.src.type, op.result.type
    bits = element_bits(op.src)
    size = math.prod(types.shape(before)) * max(bits, 8) // 8
    kind, instructions, cost = _plan(op, bits, memory)
    depth = places.depth(op)
    passes = cost.write_passes + cost.read_passes
    ticks = cost.instructions + cost.moves + passes // max(1, warps) + _BARRIER * cost.barriers
    return Conversion(
        value=places.value(op.result),
        location=places.line(op),
        type=places.type(before),
        before=places.layout(before),
        after=places.layout(after),
        size_bytes=size,
        loop_depth=depth,
        plan=kind,
        instructions=instructions,
        barriers=cost.barriers,
        shared_bytes=cost.shared_bytes,
        passes=passes,
        conflicts=cost.write_conflicts + cost.read_conflicts,
        cost=ticks * TURNS**depth,
        anchors=(anchor_behind(op.src, places), anchor_ahead(op.result, places)),
        removal=tuple(_removal(op, places, facts, history)),
    )


def element_bits(value: SSAValue) -> int:
    """Return the bits of a tensor's element; pointers have 64."""
    element = types.element(value.type)
    return 64 if types.is_pointer(element) else types.bit_width(element)


def _plan(
    op: ConvertLayoutOp, bits: int, memory: SharedMemory | None
) -> tuple[str, tuple[tuple[str, int], ...], Cost]:
    source, target = types.encoding(op.src.type), types.encoding(op.result.type)
    if memory is None or source is None or target is None:
        return "unknown", (), Cost()
    shape = types.shape(op.src.type)
    try:
        found = plan_of(source.linear(shape), target.linear(shape), max(bits, 8), memory)
    except LayoutError:
        return "unknown", (), Cost()
    return found.kind, tuple(found.instructions.items()), found.cost


def _removal(
    op: ConvertLayoutOp, places: Places, facts: ModuleAxisInfo, history: tuple[Change, ...]
) -> Iterator[str]:
    """Yield what would have to be otherwise for the conversion to go, and what that costs."""
    target, source = types.encoding(op.result.type), types.encoding(op.src.type)
    maker = _access_behind(op.src)
    if maker is not None and target is not None:
        yield from _instead(maker, target, places.layout(op.result.type), facts, places)
    reader = _access_ahead(op.result)
    if reader is not None and source is not None:
        yield from _instead(reader, source, places.layout(op.src.type), facts, places)
    for change in history:
        if change.decision is not None:
            yield from _weighed(change.decision)


def _weighed(decision: Decision) -> Iterator[str]:
    if len(decision.costs) > 1:
        sides = " against ".join(f"{cost.side} {cost.total}" for cost in decision.costs)
        yield f"{decision.stage} weighed {sides}: {decision.reason}"


def _access_behind(value: SSAValue) -> Operation | None:
    """Return the operation that makes a value, if it reads memory itself."""
    owner = value.owner
    return owner if isinstance(owner, Operation) and cares(owner) else None


def _access_ahead(value: SSAValue) -> Operation | None:
    """Return the one operation that reads a value, if it cares."""
    readers = {use.operation for use in value.uses}
    found = next(iter(readers)) if len(readers) == 1 else None
    return found if found is not None and cares(found) else None


def _instead(
    op: Operation, encoding: Encoding, name: str, facts: ModuleAxisInfo, places: Places
) -> Iterator[str]:
    """Yield what an operation would cost in the layout of the conversion's other side."""
    addresses = addresses_of(op, facts)
    own = None if addresses is None else types.encoding(addresses.pointers.type)
    where = place_text(places, op)
    if addresses is None or own is None:
        if op.name.startswith(("tt.dot", "ttng.warp_group_dot", "ttng.tc_gen5")):
            yield f"{op.name}{where} cannot take {name}: its instruction fixes the layout"
        return
    now, then = width(addresses, own), width(addresses, encoding)
    _, sectors, _ = touched(addresses, own, now.elements)
    requests, otherwise, _ = touched(addresses, encoding, then.elements)
    yield (
        f"{op.name}{where} in {name}: {then.elements * addresses.bits // 8}-byte accesses instead "
        f"of {now.elements * addresses.bits // 8}, {otherwise} sectors instead of {sectors}, "
        f"{requests} requests"
    )


def place_text(places: Places, op: Operation) -> str:
    """Return " at line 17", "" where the line is not known."""
    location = places.line(op)
    return "" if location is None else f" at line {location.line}"
