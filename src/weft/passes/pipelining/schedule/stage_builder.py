"""Create operations that belong to a stage and cluster of a schedule."""

from __future__ import annotations

from weft.ir.builtin import Operation
from weft.ir.locations import LocationAttr
from weft.ir.locations import unknown as unknown_location
from weft.ir.rewriting import Builder
from weft.passes.pipelining.schedule.cluster_list import Cluster
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = ["StageBuilder"]


class StageBuilder(Builder):
    """A builder that schedules what it creates.

    Attributes:
        position: The stage and cluster of new operations; None to leave them unscheduled.
    """

    __slots__ = ("_schedule", "position")

    def __init__(
        self,
        schedule: LoopSchedule,
        position: tuple[int, Cluster] | None = None,
        location: LocationAttr = unknown_location,
    ) -> None:
        super().__init__(location)
        self._schedule = schedule
        self.position = position

    def insert(self, op: Operation) -> None:
        """Insert a detached operation, and schedule it."""
        super().insert(op)
        if self.position is not None:
            self._schedule.insert(op, *self.position)
