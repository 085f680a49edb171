"""Who asks for a layout: the nearest operation, up or down the flow of values, that cares.

%x = tt.load …            anchor: reads memory in #blocked1
%y = arith.addf %x, %x    goes along with anything
%z = ttg.convert_layout %y : #blocked1 → #mma
%s = tt.dot %a, %b, %z    anchor: wants #mma
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue

from weft.explain.model import Anchor
from weft.explain.places import Places
from weft.ir import types

__all__ = ["anchor_ahead", "anchor_behind", "cares"]

_CARING = (
    "tt.load",
    "tt.store",
    "tt.dot",
    "tt.dot_scaled",
    "tt.atomic",
    "tt.descriptor",
    "tt.reduce",
    "tt.scan",
    "tt.gather",
    "tt.histogram",
    "tt.reshape",
    "tt.trans",
    "tt.join",
    "tt.split",
    "tt.cat",
    "ttg.local_",
    "ttg.convert_layout",
    "ttg.async_copy",
    "ttng.warp_group_dot",
    "ttng.tmem_",
    "ttng.tc_gen5",
    "amdg.buffer_",
)
_FREE = ("arith.constant", "tt.make_range", "tt.splat")
_MOST = 400  # values looked at before giving up


def cares(op: Operation) -> bool:
    """Tell whether an operation has a layout of its own, which others follow."""
    return op.name.startswith(_CARING)


def anchor_behind(value: SSAValue, places: Places) -> Anchor | None:
    """Return who made a value's layout: an operation that cares, else one that is free to."""
    queue, seen, free = deque([value]), {value}, None
    while queue and len(seen) < _MOST:
        current = queue.popleft()
        owner = current.owner
        if isinstance(owner, Operation):
            if cares(owner):
                return _anchor(owner, current, places)
            if owner.name in _FREE and free is None:
                free = _anchor(owner, current, places)
        for other in _sources(current):
            if other not in seen and types.is_tensor(other.type):
                seen.add(other)
                queue.append(other)
    return free


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """Return the values that a value's layout comes from."""
    owner = value.owner
    if isinstance(owner, Block):
        outer = owner.parent_op()
        number = owner.args.index(value)
        if outer is not None and outer.name == "scf.for" and number > 0:
            return (outer.operands[2 + number], *_yielded(outer, number - 1))
        if outer is not None and outer.name == "scf.while" and number < len(outer.operands):
            return (outer.operands[number],)
        return ()
    if owner.regions and owner.name.startswith("scf."):
        return _yielded(owner, owner.results.index(value))
    return owner.operands


def _yielded(op: Operation, number: int) -> tuple[SSAValue, ...]:
    """Return what the regions of an operation yield at a place."""
    lasts = [region.blocks.last.last_op for region in op.regions if region.blocks.last is not None]
    return tuple(
        last.operands[number] for last in lasts if last is not None and number < len(last.operands)
    )


def anchor_ahead(value: SSAValue, places: Places) -> Anchor | None:
    """Return who asks for a value's layout: the nearest of its readers that cares."""
    queue, seen = deque([value]), {value}
    while queue and len(seen) < _MOST:
        current = queue.popleft()
        for use in current.uses:
            op = use.operation
            if cares(op):
                return _anchor(op, current, places)
            for other in (*op.results, *_carried(op, use.index)):
                if other not in seen and types.is_tensor(other.type):
                    seen.add(other)
                    queue.append(other)
    return None


def _carried(op: Operation, index: int) -> Iterable[SSAValue]:
    """Return the values that an operand becomes inside of, or behind, a loop or a condition."""
    outer = op.parent_op()
    if op.name == "scf.for" and index >= 3:
        block = op.regions[0].blocks.first
        return () if block is None else (block.args[index - 2],)
    if op.name == "scf.yield" and outer is not None:
        inner = outer.regions[0].blocks.first
        first = 1 if outer.name == "scf.for" else 0
        carried = (inner.args[index + first],) if first and inner is not None else ()
        return (*carried, *outer.results[index : index + 1])
    return ()


def _anchor(op: Operation, value: SSAValue, places: Places) -> Anchor:
    return Anchor(op.name, places.value(value), places.layout(value.type), places.line(op))
