"""A loop with a schedule that the expander accepts, and the copies of its values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import Operation, OpResult, SSAValue
from weft.passes.pipelining.loop_queries import (
    definition_and_distance,
    is_defined_outside,
    nested_operands,
)

__all__ = ["PipelinedLoop", "Versions"]


class Versions:
    """The copies of the values of a loop, by value and version.

    Args:
        count: The number of versions of a value.
    """

    __slots__ = ("_copies", "_count")

    def __init__(self, count: int) -> None:
        self._count = count
        self._copies: dict[SSAValue, list[SSAValue | None]] = {}

    def set(self, value: SSAValue, copy: SSAValue, version: int) -> None:
        """Set a version of a value."""
        self._copies.setdefault(value, [None] * self._count)[version] = copy

    def get(self, value: SSAValue, version: int) -> SSAValue:
        """Look up a version of a value."""
        copy = self._copies[value][version]
        assert copy is not None
        return copy

    def clear(self) -> None:
        """Forget all versions."""
        self._copies.clear()

    def of_operands(self, operands: Iterable[SSAValue], version: int) -> dict[SSAValue, SSAValue]:
        """Map operands that have versions to one of them."""
        return {
            operand: self.get(operand, version) for operand in operands if operand in self._copies
        }


class PipelinedLoop(Struct, frozen=True, eq=False):
    """A loop and its schedule.

    Attributes:
        loop: The loop.
        order: The operations of its body, in the order of the kernel.
        stages: The stage of each.
        last_stage: The greatest of them.
    """

    loop: scf.ForOp
    order: tuple[Operation, ...]
    stages: Mapping[Operation, int]
    last_stage: int

    @staticmethod
    def of(
        loop: scf.ForOp, order: Sequence[Operation], stages: Mapping[Operation, int]
    ) -> PipelinedLoop | None:
        """Check a schedule.

        Returns:
            The loop, None if the schedule is empty, misses an operation of the body, or runs an
            operation before its operands.
        """
        body = [op for op in loop.block.ops if op is not loop.terminator]
        if not order or any(op not in stages for op in body):
            return None
        result = PipelinedLoop(loop, tuple(order), stages, max(stages[op] for op in order))
        return result if result._is_valid() else None

    def definition(self, value: SSAValue) -> tuple[Operation | None, int]:
        """Find the operation that defines a value, and how many iterations before."""
        result, distance = definition_and_distance(self.loop, value)
        return (None if result is None else result.op), distance

    def stage_of_definition(self, value: SSAValue) -> int | None:
        """Find the stage of the operation whose result a value is, None for other values."""
        return self.stages.get(value.op) if isinstance(value, OpResult) else None

    def is_outside(self, value: SSAValue) -> bool:
        """Check whether a value is defined outside of the loop."""
        return is_defined_outside(value, self.loop)

    def _is_valid(self) -> bool:
        """Check that operands are computed before their users, and in the iteration before."""
        # The kernel takes one unit of time for each operation. A stage is one iteration later, and
        # so is the user of an iter_arg.
        length = len(self.order)
        times = {op: time + self.stages[op] * length for time, op in enumerate(self.order)}
        for op in self.order:
            for operand in nested_operands(op):
                producer, distance = self.definition(operand)
                if producer is None:
                    continue
                time = times.get(producer)
                if distance > 1 or (time is not None and times[op] < time - length * distance):
                    return False
        return True
