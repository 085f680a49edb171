"""Propagate tasks from operations that have them to what these are computed from.

    %i = arith.muli %x, %c           {async_task_id = array<i32: 0, 1>}
    %a = tt.descriptor_load %d[%i]   {async_task_id = array<i32: 0>}
    tt.store %i …                    {async_task_id = array<i32: 1>}

A backward dataflow analysis: the lattice element of a value is the set of tasks that need it, the
join is the union. An operation needs its operands where its results are needed; loop bounds and
conditions are needed where anything in their regions is. Source: Triton, TaskIdPropagation.cpp.
"""

from __future__ import annotations

from weft.ir import arith, scf, tt
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import ancestors, walk, walk_inner_first
from weft.passes.nvidia.warp_specialization.task_ids import label_parents, set_tasks, tasks_of

__all__ = ["propagate_tasks"]

Tasks = frozenset[int]
_NONE: Tasks = frozenset()


def propagate_tasks(function: tt.FuncOp) -> None:
    """Give tasks to the operations of a function that have none."""
    analysis = _NeededIn()
    operations = list(walk(function))[::-1]
    while analysis.visit_all(operations):
        pass
    for op in walk_inner_first(function):
        values = op.results or op.operands
        tasks = _NONE.union(*(analysis.tasks.get(value, _NONE) for value in values))
        # Equal constants were merged before, so a constant's own tasks are not complete.
        if tasks and (isinstance(op, arith.ConstantOp) or not tasks_of(op)):
            set_tasks(op, tasks)
            label_parents(op)


class _NeededIn:
    """The tasks that need each value.

    Attributes:
        tasks: By value; a value that is missing is needed by none yet.
    """

    def __init__(self) -> None:
        self.tasks: dict[SSAValue, Tasks] = {}
        self._changed = False

    def visit_all(self, operations: list[Operation]) -> bool:
        """Visit operations from the last to the first; return whether anything changed."""
        self._changed = False
        for op in operations:
            self._visit(op)
        return self._changed

    def _join(self, value: SSAValue, tasks: Tasks) -> None:
        old = self.tasks.get(value, _NONE)
        if not tasks <= old:
            self.tasks[value] = old | tasks
            self._changed = True

    def _needed(self, value: SSAValue) -> Tasks:
        return self.tasks.get(value, _NONE)

    def _visit(self, op: Operation) -> None:
        parent = op.parent_op()
        if isinstance(op, scf.ForOp):
            for init, argument, result in zip(
                op.init_args, op.block.args[1:], op.results, strict=True
            ):
                self._join(init, self._needed(argument) | self._needed(result))
        elif isinstance(op, scf.IfOp | tt.FuncOp):
            pass
        elif isinstance(op, scf.YieldOp):
            assert parent is not None
            for index, value in enumerate(op.operands):
                tasks = self._needed(parent.results[index])
                if isinstance(parent, scf.ForOp):
                    tasks |= self._needed(parent.block.args[index + 1])
                self._join(value, tasks)
        else:
            own = frozenset(tasks_of(op))
            needed = own or _NONE.union(*map(self._needed, op.results))
            for value in op.operands:
                self._join(value, needed)
            self._join_control(op, needed)
            if isinstance(op, tt.ReduceOp):
                terminator = op.regions[0].block.last_op
                assert terminator is not None
                for value, result in zip(terminator.operands, op.results, strict=True):
                    self._join(value, self._needed(result))

    def _join_control(self, op: Operation, tasks: Tasks) -> None:
        """Join tasks into the loop bounds and conditions around an operation."""
        for around in ancestors(op):
            if isinstance(around, tt.FuncOp):
                return
            if isinstance(around, scf.ForOp):
                for value in around.bounds:
                    self._join(value, tasks)
            elif isinstance(around, scf.IfOp):
                self._join(around.operands[0], tasks)
