"""The loops and how they are pipelined."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import Location

__all__ = ["LOOP_ITERATIONS", "Loop", "LoopLoad", "ScheduledOp"]

LOOP_ITERATIONS = 16
"""The iterations that a cost counts for each loop."""


@dataclass(frozen=True, slots=True)
class ScheduledOp:
    """The place of one operation in the schedule of a software-pipelined loop.

    Attributes:
        op: The name of the operation.
        value: The variable of the kernel that it computes, "" if it has no name.
        location: The line of the kernel.
        stage: The number of iterations that it runs later than stage 0.
        cluster: Its position within an iteration of the pipelined loop.
    """

    op: str
    value: str
    location: Location | None
    stage: int
    cluster: int


@dataclass(frozen=True, slots=True)
class LoopLoad:
    """One load of a loop, as it was before software pipelining.

    Attributes:
        op: The name of the operation.
        value: The variable of the kernel that it loads, "" if it has no name.
        location: The line of the kernel.
        type: Shape and element type.
        method: "cp.async", "TMA", "direct-to-LDS", "registers"; "" if it is not pipelined.
        limit: The code of the reason why it is not pipelined, "" if it is: "num_stages", "no-dot",
            "narrow", "levels", "layouts", "loop-carried", "same-stage", "conditional", or that of
            its loop; "shared-memory" if its buffers do not fit, or would not.
        why: How it is pipelined, or the reason why not and what would change it.
        distance: The iterations between the load and its first use.
        buffers: The number of buffers in shared memory.
        shared_bytes: The bytes of all its buffers.
        more_stages: The number of stages with which it is pipelined, 0 if there is none.
    """

    op: str
    value: str
    location: Location | None
    type: str
    method: str
    limit: str
    why: str
    distance: int = 0
    buffers: int = 0
    shared_bytes: int = 0
    more_stages: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop of the kernel, as it was before software pipelining.

    Attributes:
        location: The line of the kernel.
        stages: The number of stages in which iterations overlap, 1 if they do not.
        limit: The code of the reason why it is not pipelined, "" if it is: "nested", "distance",
            "barrier" or "no-load"; "shared-memory" if its buffers do not fit.
        why: The reason in words.
        operations: The schedule, in program order; empty if the loop is not pipelined.
        loads: The loads of the loop.
    """

    location: Location | None
    stages: int
    limit: str
    why: str
    operations: tuple[ScheduledOp, ...]
    loads: tuple[LoopLoad, ...]
