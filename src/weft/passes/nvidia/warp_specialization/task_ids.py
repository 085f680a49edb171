"""Tasks of operations: which groups of warps run an operation.

    %a = tt.descriptor_load … {async_task_id = array<i32: 0>}        the producer, task 0
    %d = ttng.warp_group_dot … {async_task_id = array<i32: 1, 2>}    both consumers

The attribute exists only within the pass, and on what it leaves in the partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from weft.ir import attributes, tt
from weft.ir.attributes import array_values
from weft.ir.builtin import Attribute, Block, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, ancestors, walk

__all__ = [
    "TaskBuilder",
    "add_tasks",
    "label_parents",
    "nested_tasks",
    "remove_tasks",
    "set_tasks",
    "tasks_of",
]

_NAME = "async_task_id"
_Op = TypeVar("_Op", bound=Operation)


def tasks_of(op: Operation) -> tuple[int, ...]:
    """List the tasks of an operation, in increasing order; none if it has no attribute."""
    return array_values(op.attributes.get(_NAME))


def set_tasks(op: Operation, tasks: Iterable[int]) -> None:
    """Replace the tasks of an operation."""
    op.attributes[_NAME] = attributes.array_i32(tuple(sorted(set(tasks))))


def remove_tasks(op: Operation) -> None:
    """Remove the tasks of an operation."""
    op.attributes.pop(_NAME, None)


def add_tasks(op: Operation, tasks: Iterable[int]) -> None:
    """Add tasks to those of an operation."""
    union = {*tasks_of(op), *tasks}
    if union:
        set_tasks(op, union)


def label_parents(op: Operation) -> None:
    """Add the tasks of an operation to those of the operations around it."""
    for around in ancestors(op):
        if isinstance(around, tt.FuncOp):
            return
        add_tasks(around, tasks_of(op))


def nested_tasks(op: Operation) -> tuple[int, ...]:
    """List the tasks of an operation and of all operations in it."""
    return tuple(sorted({task for inner in walk(op) for task in tasks_of(inner)}))


class TaskBuilder(Builder):
    """A builder that gives each new operation the same tasks.

    Attributes:
        tasks: The tasks; none leaves new operations without the attribute.
    """

    __slots__ = ("tasks",)

    def __init__(self, tasks: Sequence[int] = ()) -> None:
        super().__init__()
        self.tasks = tuple(tasks)

    def create(
        self,
        cls: type[_Op],
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
    ) -> _Op:
        """Create an operation with the tasks of the builder."""
        op = super().create(
            cls, operands, result_types, properties, attributes, regions, successors
        )
        if self.tasks:
            set_tasks(op, self.tasks)
        return op
