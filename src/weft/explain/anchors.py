"""Who asks for a layout: the nearest operation, up or down the flow of values, that cares.

%x = tt.load …            anchor: reads memory in #blocked1
%y = arith.addf %x, %x    goes along with anything
%z = ttg.convert_layout %y : #blocked1 → #mma
%s = tt.dot %a, %b, %z    anchor: wants #mma
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from weft.explain.model import Anchor
from weft.explain.places import Places
from weft.ir import types
from weft.ir.interfaces import forwarded_from, forwarded_to

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
    sources = forwarded_from(value)
    if sources is not None:
        return sources
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def anchor_ahead(value: SSAValue, places: Places) -> Anchor | None:
    """Return who asks for a value's layout: the nearest of its readers that cares."""
    queue, seen = deque([value]), {value}
    while queue and len(seen) < _MOST:
        current = queue.popleft()
        for use in current.uses:
            op = use.operation
            if cares(op):
                return _anchor(op, current, places)
            for other in (*op.results, *forwarded_to(op, current)):
                if other not in seen and types.is_tensor(other.type):
                    seen.add(other)
                    queue.append(other)
    return None


def _anchor(op: Operation, value: SSAValue, places: Places) -> Anchor:
    return Anchor(op.name, places.value(value), places.layout(value.type), places.line(op))
