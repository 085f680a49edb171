"""How many bytes of shared memory an operation needs for itself, while it runs.

Each lowering registers the count beside the lowering itself:

    @scratch("tt.reduce")
    def _bytes(op: Operation, target: Target) -> int: …
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from weft.targets import Target

__all__ = ["room", "room_bytes", "scratch", "scratch_bytes"]

Bytes = Callable[[Operation, Target], int]

_ROWS: dict[str, Bytes] = {}
_ROOM: dict[str, Bytes] = {}


def scratch(*names: str) -> Callable[[Bytes], Bytes]:
    """Register how the scratch memory of operations is counted."""
    return _into(_ROWS, names)


def room(*names: str) -> Callable[[Bytes], Bytes]:
    """Register how many bytes operations can use to wait less often, if those are free."""
    return _into(_ROOM, names)


def _into(rows: dict[str, Bytes], names: tuple[str, ...]) -> Callable[[Bytes], Bytes]:
    def add(function: Bytes) -> Bytes:
        for name in names:
            if name in rows:
                raise ValueError(f"{name} has two counts of scratch memory")
            rows[name] = function
        return function

    return add


def scratch_bytes(op: Operation, target: Target) -> int:
    """Return the bytes that an operation needs, 0 for one that exchanges nothing by memory."""
    row = _ROWS.get(op.name)
    return 0 if row is None else row(op, target)


def room_bytes(op: Operation, target: Target) -> int:
    """Return the bytes that an operation would rather have, 0 for one that needs no more."""
    row = _ROOM.get(op.name)
    return 0 if row is None else row(op, target)
