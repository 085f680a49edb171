"""What the sanitizer reports.

kernel.py:9:5: error: undefined lanes are stored
    tl.store(y + i, x)
    ^
  called from: kernel.py:20:5: copy(x, y, n)
  found: 6 lanes, first (10,), in program (0, 0, 0) of add
  undefined since: kernel.py:8:9: x = tl.load(x + i, mask=i < n)  (masked off, without `other`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import CallSiteLoc, NameLoc
from xdsl.ir import Attribute, Operation

from weft.errors import Location, WeftError
from weft.ir import locations

__all__ = ["Finding", "call_stack", "lane_list"]

_MAX_LANES = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """A report about one operation of a kernel.

    Attributes:
        kind: "undefined-value", "write-conflict", "unwritten-memory", "out-of-bounds",
            "integer-overflow" or "assertion".
        message: What is wrong, in one sentence.
        kernel: The name of the kernel.
        program: The first program in which it happened.
        stack: The source location of the operation, then the calls that led to it.
        lanes: The first lanes of the tile for which it happened; empty for scalars.
        lane_count: The number of these lanes.
        details: More facts.
        origin: Where the lanes became undefined, and the calls that led there.
    """

    kind: str
    message: str
    kernel: str
    program: tuple[int, int, int]
    stack: tuple[Location, ...] = ()
    lanes: tuple[tuple[int, ...], ...] = ()
    lane_count: int = 0
    details: tuple[str, ...] = ()
    origin: tuple[Location, ...] = ()

    @property
    def key(self) -> object:
        """What is the same for all programs."""
        return self.kind, self.message, self.kernel, self.stack

    def __str__(self) -> str:
        error = WeftError(self.message, location=self.stack[0] if self.stack else None)
        error.callers.extend(self.stack[1:])
        lines = [str(error), f"  found: {self._place()}"]
        lines += [f"  {detail}" for detail in self.details]
        if self.origin:
            lines.append(f"  undefined since: {self.origin[0].one_line()}")
            lines += [f"  called from: {caller.one_line()}" for caller in self.origin[1:]]
        return "\n".join(lines)

    def _place(self) -> str:
        program = f"program {self.program} of {self.kernel}"
        if not self.lanes:
            return program
        if self.lane_count == 1:
            return f"lane {self.lanes[0]} in {program}"
        return f"{self.lane_count} lanes, the first {self.lanes[0]}, in {program}"

    def as_json(self) -> dict[str, object]:
        """Convert to types that JSON has."""
        return {
            "kind": self.kind,
            "message": self.message,
            "kernel": self.kernel,
            "program": list(self.program),
            "stack": [_location_object(each) for each in self.stack],
            "lanes": [list(lane) for lane in self.lanes],
            "lane_count": self.lane_count,
            "details": list(self.details),
            "origin": [_location_object(each) for each in self.origin],
        }


def _location_object(location: Location) -> dict[str, object]:
    return {"file": location.file, "line": location.line, "column": location.column}


def call_stack(op: Operation, calls: Sequence[Operation] = ()) -> tuple[Location, ...]:
    """List the source location of an operation and of the calls that led to it.

    Lines of weft.language, such as those of `tl.sum`, are left out.

    Args:
        op: The operation; inlined calls are in its location.
        calls: The calls that are being executed, the outermost first.
    """
    chain: list[Location] = []
    for each in (op, *reversed(calls)):
        chain += _inlined_calls(each.location)
    own = tuple(each for each in chain if "/weft/language/" not in each.file.replace("\\", "/"))
    return own or tuple(chain)


def _inlined_calls(location: Attribute) -> list[Location]:
    while isinstance(location, NameLoc):
        location = location.location
    if isinstance(location, CallSiteLoc):
        return _inlined_calls(location.callee) + _inlined_calls(location.caller)
    position = locations.position(location)
    return [position] if position else []


def lane_list(lanes: np.ndarray) -> tuple[tuple[tuple[int, ...], ...], int]:
    """List the first lanes for which a mask is true, and count all.

    Args:
        lanes: The mask, with the axis of the program first.
    """
    indices = np.argwhere(lanes)
    first = tuple(tuple(int(i) for i in index[1:]) for index in indices[:_MAX_LANES])
    return (first if lanes.ndim > 1 else ()), len(indices)
