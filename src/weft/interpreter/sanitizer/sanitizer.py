"""The state of a sanitizer: the launch that runs, its shadows, and the findings so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from weft.errors import Location, OutOfBoundsError
from weft.interpreter.memory import Memory, Region
from weft.interpreter.sanitizer.finding import Finding, call_stack, lane_list
from weft.interpreter.sanitizer.memory import ProgramOrder, WriteLog, unwritten_lanes
from weft.interpreter.sanitizer.shadow import Origin, Shadow, ShadowMap
from weft.ir.enums import MemSemantic

__all__ = ["Sanitizer"]

_RELEASES = (MemSemantic.RELEASE, MemSemantic.ACQUIRE_RELEASE)
_ACQUIRES = (MemSemantic.ACQUIRE, MemSemantic.ACQUIRE_RELEASE)


class Sanitizer:
    """Collects what checked launches do that has no defined result.

    A finding is reported once for each operation and stack of calls.

    Attributes:
        shadows: The undefined lanes of the values of the program that runs.
        calls: The calls that are being executed, the outermost first.
        operation: The operation that runs.
        launches: The number of checked launches.
        programs: The number of checked programs.
    """

    def __init__(self) -> None:
        self.shadows = ShadowMap()
        self.calls: list[Operation] = []
        self.operation: Operation | None = None
        self.launches = self.programs = 0
        self._findings: dict[object, Finding] = {}
        self._counts: Counter[object] = Counter()
        self._stored: Shadow | None = None
        self._kernel = ""
        self._program = (0, 0, 0)
        self._started: list[tuple[int, int, int]] = []
        self._memory = Memory()
        self._order = ProgramOrder()
        self._writes = WriteLog(self._order)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in the order in which they happened."""
        return tuple(self._findings.values())

    def count(self, finding: Finding) -> int:
        """Count how often a finding happened."""
        return self._counts[finding.key]

    def begin_launch(self, kernel: str, memory: Memory) -> None:
        """Start a launch."""
        self.launches += 1
        self._kernel, self._memory = kernel, memory
        self._order, self._started = ProgramOrder(), []
        self._writes = WriteLog(self._order)
        self.calls.clear()

    def begin_program(self, program: tuple[int, int, int]) -> None:
        """Start a program."""
        self.programs += 1
        self._program = program
        self._started.append(program)
        self._order.begin()

    def origin(self, op: Operation, reason: str) -> Origin:
        """Construct the origin of lanes that an operation leaves undefined."""
        return Origin(op, reason, call_stack(op, self.calls))

    def use(self, op: Operation, message: str, lanes: np.ndarray, shadow: Shadow) -> None:
        """Report the use of undefined lanes, if there are any."""
        if lanes.any():
            details = (f"undefined because: {shadow.origin.reason}",)
            self.report("undefined-value", message, op, lanes, details, shadow.origin.stack)

    def report(
        self,
        kind: str,
        message: str,
        op: Operation,
        lanes: np.ndarray | None = None,
        details: Sequence[str] = (),
        origin: Sequence[Location] = (),
    ) -> None:
        """Report a finding of the program that runs."""
        first, count = ((), 0) if lanes is None else lane_list(lanes)
        stack = call_stack(op, self.calls)
        self._add(
            Finding(
                kind,
                message,
                self._kernel,
                self._program,
                stack,
                first,
                count,
                tuple(details),
                tuple(origin),
            )
        )

    def _add(self, finding: Finding) -> None:
        self._findings.setdefault(finding.key, finding)
        self._counts[finding.key] += 1

    def report_out_of_bounds(self, error: OutOfBoundsError) -> None:
        """Report an access out of bounds, which ended the launch."""
        op = self.operation
        stack = () if op is None else call_stack(op, self.calls)
        details = [f"access: {error.found}", *(f"accepted: {each}" for each in error.accepted)]
        details.append("the launch ended here: later programs did not run")
        located = (error.location,) if error.location is not None else ()
        self._add(
            Finding(
                "out-of-bounds",
                error.message,
                self._kernel,
                self._program,
                stack or located,
                details=tuple(details),
            )
        )

    def will_store(self, shadow: Shadow | None) -> None:
        """Remember the undefined lanes of a tile that a descriptor stores, in bounds only."""
        self._stored = shadow

    def load(self, op: Operation, size: int, addresses: np.ndarray, active: np.ndarray) -> None:
        """Check that a load reads memory that something has written."""
        result = unwritten_lanes(self._memory, addresses, active, size)
        if result is not None:
            region, lanes, element = result
            message = f"load of memory of {region.name} that nothing has written"
            detail = f"first: {_element(region, element)}"
            self.report("unwritten-memory", message, op, lanes, (detail,))

    def store(
        self, op: Operation, addresses: np.ndarray, active: np.ndarray, data: np.ndarray
    ) -> None:
        """Check the lanes of a store, and for conflicts with other programs."""
        shadow, self._stored = self._stored, None
        if shadow is not None:
            # A descriptor may store a tile with other dimensions of size 1.
            same_size = shadow.lanes.size == addresses.size
            lanes = shadow.lanes.reshape(addresses.shape) if same_size else shadow.lanes
            self.use(op, "undefined lanes are stored", lanes & active, shadow)
        conflict = self._writes.store(self._memory, addresses, active, data)
        if conflict is None:
            return
        element = _element(conflict.region, conflict.element)
        if conflict.program is None:
            message, other = "lanes store different values to one address", "another lane"
        else:
            message = "programs store different values to one address"
            other = f"program {self._started[conflict.program]}"
        detail = f"{element}: this lane stores {conflict.value}, {other} stored {conflict.other}"
        self.report("write-conflict", message, op, conflict.lanes, (detail,))

    def atomic(self, op: Operation, addresses: np.ndarray) -> None:
        """Order programs by an atomic operation on one address."""
        semantics = op.properties.get("sem")
        if addresses.size != 1 or semantics is None:
            return
        kind = MemSemantic.of(semantics)
        self._order.synchronize(
            int(addresses.reshape(-1)[0]), acquires=kind in _ACQUIRES, releases=kind in _RELEASES
        )


def _element(region: Region, element: int) -> str:
    return f"element {element} of {region.name}"
