"""Find layout anchors: the nearest operation, along the flow of values, that needs a layout.

%x = tt.load …            anchor: its layout makes the access wide
%y = arith.addf %x, %x    elementwise: has the layout of its operands
%z = ttg.convert_layout %y : #blocked1 → #mma
%s = tt.dot %a, %b, %z    anchor: its instruction needs #mma

Triton's remove-layout-conversions uses the same term for the operations that it starts from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from weft.explain.labels import Labels
from weft.explain.model import Anchor
from weft.ir import types
from weft.ir.interfaces import forwarded_from, forwarded_to

__all__ = ["find_anchor_above", "find_anchor_below", "is_anchor", "is_layout_free"]

_ANCHORS = (
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
_LAYOUT_FREE = ("arith.constant", "tt.make_range", "tt.splat")
_MAX_VALUES = 400  # visited before a search gives up


def is_anchor(op: Operation) -> bool:
    """Check whether an operation determines a layout that other operations follow."""
    return op.name.startswith(_ANCHORS)


def is_layout_free(op_name: str) -> bool:
    """Check whether an operation can be computed in any layout at no cost."""
    return op_name in _LAYOUT_FREE


def find_anchor_above(value: SSAValue, labels: Labels) -> Anchor | None:
    """Find the nearest anchor that a value is computed from.

    Returns:
        The anchor; without one, the nearest operation that is free to have any layout; else None.
    """
    # Breadth first, so that the first anchor is the nearest. A loop-carried value leads to its
    # initial value and to the yielded one; `visited` ends the cycle.
    worklist, visited = deque([value]), {value}
    free_source: Anchor | None = None
    while worklist and len(visited) < _MAX_VALUES:
        current = worklist.popleft()
        owner = current.owner
        if isinstance(owner, Operation):
            if is_anchor(owner):
                return _anchor(owner, current, labels)
            if is_layout_free(owner.name) and free_source is None:
                free_source = _anchor(owner, current, labels)
        for source in _sources(current):
            if source not in visited and types.is_tensor(source.type):
                visited.add(source)
                worklist.append(source)
    return free_source


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """List the values that determine the layout of a value."""
    sources = forwarded_from(value)
    if sources is not None:
        return sources
    return value.owner.operands if isinstance(value.owner, Operation) else ()


def find_anchor_below(value: SSAValue, labels: Labels) -> Anchor | None:
    """Find the nearest anchor that uses a value, through elementwise operations and loops."""
    worklist, visited = deque([value]), {value}
    while worklist and len(visited) < _MAX_VALUES:
        current = worklist.popleft()
        for use in current.uses:
            op = use.operation
            if is_anchor(op):
                return _anchor(op, current, labels)
            for target in (*op.results, *forwarded_to(op, current)):
                if target not in visited and types.is_tensor(target.type):
                    visited.add(target)
                    worklist.append(target)
    return None


def _anchor(op: Operation, value: SSAValue, labels: Labels) -> Anchor:
    return Anchor(op.name, labels.value(value), labels.layout(value.type), labels.line(op))
