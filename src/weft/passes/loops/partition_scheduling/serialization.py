"""Read the user's partitions of a graph, number the partitions, and write them as attributes."""

from __future__ import annotations

from weft.ir import attributes, scf, tt, types
from weft.ir.builtin import ArrayAttr, Attribute, BlockArgument, Operation, OpResult
from weft.passes.loops.partition_scheduling.dataflow_graph import Graph, Node, Partition
from weft.passes.loops.partition_scheduling.operation_kinds import Kind
from weft.passes.pipelining.partitions.attributes import (
    PARTITION,
    STAGES,
    TAG,
    partition_ids,
    partition_outputs,
    set_partition,
    set_partition_outputs,
)

__all__ = ["number_partitions", "read_manual_partitions", "write_partitions"]


def read_manual_partitions(graph: Graph) -> None:
    """Create the partitions that the IR has already."""
    partitions: dict[int, Partition] = {}
    for node in graph.root.walk():
        if node.op is None or PARTITION not in node.op.attributes:
            continue
        for number in partition_ids(node.op):
            if number not in partitions:
                partitions[number] = graph.add_partition()
                partitions[number].kind |= Kind.MANUAL
            node.add_partitions((partitions[number],))


def number_partitions(graph: Graph) -> None:
    """Number the partitions: others, stores, MMAs, loads.

    Partition 0 runs on the warps of the function, so that MMAs and loads are never that one.
    """
    groups: dict[Kind, list[Partition]] = {
        kind: [] for kind in (Kind.NONE, Kind.STORE, Kind.MMA, Kind.LOAD)
    }
    for partition in graph.partitions:
        kinds = (kind for kind in groups if kind and partition.kind & kind)
        groups[next(kinds, Kind.NONE)].append(partition)
    number = 0
    for kind, partitions in groups.items():
        if kind is Kind.MMA:
            number = max(number, 1)
        for partition in partitions:
            partition.id = number
            number += 1


def write_partitions(tag: int, loop: scf.ForOp, graph: Graph) -> None:
    """Write the partitions of a graph as attributes.

    Args:
        tag: The number of the loop.
        loop: The loop.
        graph: Its graph.
    """
    loop.attributes[TAG] = attributes.integer(tag, types.i32)
    visited: set[Operation] = set()
    for node in graph.root.walk():
        numbers = _numbers(node)
        if node.op is not None:
            # A view has several nodes.
            before = partition_ids(node.op) if node.op in visited else ()
            visited.add(node.op)
            _write(node.op, (*before, *numbers))
            if isinstance(node.op, tt.ReduceReturnOp):
                parent = node.op.parent_op()
                assert parent is not None
                _write_output(parent, 0, numbers)
        elif isinstance(node.value, BlockArgument):
            parent = node.value.block.parent_op()
            assert isinstance(parent, scf.ForOp)
            if node.value.index > 0:
                _write_output(parent, node.value.index - 1, numbers)
        elif isinstance(node.value, OpResult):
            _write_output(node.value.op, node.value.index, numbers)
    count = 1 + max((p.id for p in graph.partitions if p.id is not None), default=-1)
    stages = [0] * count
    for partition in graph.partitions:
        assert partition.id is not None
        stages[partition.id] = partition.stage
    entries: list[Attribute] = [attributes.integer(stage, types.i32) for stage in stages]
    loop.attributes[STAGES] = ArrayAttr(entries)


def _numbers(node: Node) -> list[int]:
    return [partition.id for partition in node.partitions if partition.id is not None]


def _write(op: Operation, numbers: tuple[int, ...]) -> None:
    """Write the partitions of an operation; yields have those of their parents."""
    if isinstance(op, scf.ForOp | scf.IfOp):
        set_partition(op, numbers)
    else:
        op.attributes[PARTITION] = attributes.array_i32(tuple(sorted(set(numbers))))


def _write_output(op: Operation, index: int, numbers: list[int]) -> None:
    """Write the partitions of a result."""
    outputs = partition_outputs(op) or [()] * len(op.results)
    outputs[index] = tuple(numbers)
    set_partition_outputs(op, outputs)
