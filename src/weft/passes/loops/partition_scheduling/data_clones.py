"""Clone operations on data that several partitions run, so that each has its own.

    %x = math.exp2 %y {ttg.partition = array<i32: 0, 1>}

becomes

    %x0 = math.exp2 %y {ttg.partition = array<i32: 0>}
    %x1 = math.exp2 %y {ttg.partition = array<i32: 1>}
"""

from __future__ import annotations

from weft.ir import scf
from weft.ir.builtin import Operation, OpResult
from weft.ir.rewriting import Builder, clone, erase, used, walk_inner_first
from weft.passes.loops.partition_scheduling.build_graph import build_graph, mark_data
from weft.passes.pipelining.partitions.attributes import partition_ids, set_partition

__all__ = ["clone_shared_data_ops"]


def clone_shared_data_ops(loop: scf.ForOp) -> None:
    """Give each partition its own copy of operations on data."""
    graph = build_graph(loop)
    mark_data(graph)
    data_ops = {node.op for node in graph.root.walk() if node.op is not None and node.is_data}
    for partition in partition_ids(loop):
        shared = [
            op
            for op in walk_inner_first(loop)
            if op in data_ops and partition in (ids := partition_ids(op)) and len(ids) > 1
        ]
        copies = {op: _clone_before(op, partition) for op in shared}
        _rewire(copies, partition)
        _erase_unused(shared)


def _clone_before(op: Operation, partition: int) -> Operation:
    copied = clone(op, {})
    Builder().before(op).insert(copied)
    set_partition(copied, (partition,))
    return copied


def _rewire(copies: dict[Operation, Operation], partition: int) -> None:
    """Connect the copies to each other, and the users in the partition to them."""
    for copied in copies.values():
        for index, operand in enumerate(copied.operands):
            if isinstance(operand, OpResult) and operand.op in copies:
                copied.operands[index] = copies[operand.op].results[operand.index]
    for op, copied in copies.items():
        for result in op.results:
            for use in tuple(result.uses):
                if partition_ids(use.operation) == (partition,):
                    use.operation.operands[use.index] = copied.results[result.index]


def _erase_unused(ops: list[Operation]) -> None:
    """Erase operations without users, and what only they use."""
    remaining = list(ops)
    while (op := next((each for each in remaining if not used(each)), None)) is not None:
        remaining.remove(op)
        erase(op)
