"""The rules by which partitions of a warp-specialized loop are merged.

A rule for an edge decides whether what computes a value and what uses it belong together; a rule
for a pair looks at two partitions as a whole. Rules for edges have the names
of Triton's heuristics.

    load → local_alloc       load_local_alloc: TMA writes the buffer, so one partition does both
    tmem_load → truncf       tmem_load: what reads the accumulator goes on with it
    mma, mma                 both_mmas: one partition issues all MMAs

Source: Triton, PartitionScheduling.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir import scf, tt, ttg, ttng
from weft.ir.builtin import BlockArgument, Operation, OpResult
from weft.ir.rewriting import defining_op
from weft.passes.loops.partition_scheduling.dataflow_graph import (
    Edge,
    Node,
    Partition,
    crossing_edges,
)
from weft.passes.loops.partition_scheduling.operation_kinds import Kind, kind_of
from weft.passes.pipelining.loads.shared_encodings import descriptor_encoding

__all__ = ["EDGE_RULES", "PAIR_RULES", "may_merge"]

# Thresholds of Triton's heuristics, in elements.
_COSTLY = 256  # of an operation of the SFU
_LARGE = 16384  # of a tensor that is too large to pass through shared memory


# ------------------------------------------------------------------------------ kinds of nodes
def _kind(node: Node) -> Kind:
    """Get the kind of the partition of a node."""
    return node.partition.kind


def _is_none(node: Node) -> bool:
    return _kind(node) in (Kind.NONE, Kind.MANUAL)


def _is_costly_sfu(node: Node) -> bool:
    return bool(_kind(node) & Kind.SFU) and node.partition.cost > _COSTLY


def _is_iter_arg(node: Node) -> bool:
    value = node.value
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), scf.ForOp)


def _is_if_result(node: Node) -> bool:
    return isinstance(node.value, OpResult) and isinstance(node.value.op, scf.IfOp)


def _is_token(node: Node) -> bool:
    return node.value is not None and isinstance(node.value.type, ttg.AsyncTokenType)


# ------------------------------------------------------------------------------ rules for edges
def _load_local_alloc(edge: Edge) -> bool:
    """TMA, or cp.async, writes the buffer directly."""
    source, target = edge.ends
    allocation = target.op
    if not isinstance(allocation, ttg.LocalAllocOp):
        return False
    if isinstance(source.op, tt.DescriptorLoadOp | tt.DescriptorGatherOp):
        memory = allocation.result.type
        assert isinstance(memory, ttg.MemDescType)
        return memory.encoding == descriptor_encoding(source.op)
    return isinstance(source.op, tt.LoadOp)


def _view_sequence(edge: Edge) -> bool:
    """Views of views stay together."""
    return all(kind_of(node.op) & Kind.VIEW for node in edge.ends)


def _view_producer(edge: Edge) -> bool:
    """A view goes to what defines its operand, if its result is smaller."""
    target = edge.target.node
    if not _kind(target) & Kind.VIEW or not kind_of(target.op) & Kind.VIEW:
        return False
    outgoing = crossing_edges((target.partition,))
    return bool(outgoing) and edge.size > outgoing[0].size


def _view_consumer(edge: Edge) -> bool:
    """A view goes to the user of its result."""
    source, _ = edge.ends
    return bool(_kind(source) & Kind.VIEW and kind_of(source.op) & Kind.VIEW)


def _iter_arg(edge: Edge) -> bool:
    """An iter_arg goes to what computes its next value."""
    source, target = edge.ends
    return source.parent is target.parent and _is_iter_arg(target) and not _is_token(target)


def _iter_arg_token(edge: Edge) -> bool:
    """A token goes to what waits for it."""
    source, _ = edge.ends
    return _is_iter_arg(source) and _is_token(source)


def _if_result_token(edge: Edge) -> bool:
    """The token of a conditional goes to what defines it."""
    target = edge.target.node
    return _is_if_result(target) and _is_token(target)


def _sfu_consumer(edge: Edge) -> bool:
    """Many exponentials run where their arguments are computed."""
    source, target = edge.ends
    return _is_costly_sfu(target) and not _kind(source) & (Kind.MMA | Kind.LOAD | Kind.SFU)


def _is_only_edge(edge: Edge) -> bool:
    source, target = edge.ends
    return source.count_data_outputs() <= 1 and target.count_data_inputs() <= 1


def _sequence(edge: Edge) -> bool:
    """A chain of cheap operations stays together."""
    return _is_only_edge(edge) and all(map(_is_none, edge.ends))


def _sequence_sfu(edge: Edge) -> bool:
    """A chain of cheap operations stays with the exponential at its end."""
    source, target = edge.ends
    return _is_only_edge(edge) and _is_none(source) and bool(_kind(target) & Kind.SFU)


def _tmem_load(edge: Edge) -> bool:
    """What is loaded from TMEM is used there."""
    return isinstance(edge.ends[0].op, ttng.TMEMLoadOp)


def _tmem_store(edge: Edge) -> bool:
    """What reads TMEM also stores the result to global memory."""
    source, target = edge.ends
    return bool(_kind(source) & Kind.TMEM and _kind(target) & Kind.STORE)


def _none_consumer(edge: Edge) -> bool:
    """Cheap operations go to the user of their result."""
    source, target = edge.ends
    is_cheap = _is_none(source) or (bool(_kind(source) & Kind.SFU) and not _is_costly_sfu(source))
    return (
        is_cheap
        and not _is_none(target)
        and not _kind(target) & (Kind.MMA | Kind.LOAD)
        and not _is_costly_sfu(target)
    )


def _none_producer(edge: Edge) -> bool:
    """Cheap operations go to what defines their operands."""
    source, target = edge.ends
    return _is_none(target) and not _is_none(source) and not _kind(source) & (Kind.MMA | Kind.LOAD)


def _none_producer_costly(edge: Edge) -> bool:
    """Cheap operations prefer a costly partition, such as one of a softmax."""
    return _none_producer(edge) and edge.ends[0].partition.cost > _COSTLY


def _connected_store(edge: Edge) -> bool:
    """Stores that depend on each other stay together."""
    return all(_kind(node) & Kind.STORE for node in edge.ends)


def _connected_none(edge: Edge) -> bool:
    """Cheap operations that depend on each other stay together."""
    return all(_kind(node) == Kind.NONE for node in edge.ends)


def _connected_none_manual(edge: Edge) -> bool:
    """Cheap operations join a partition of the user's."""
    source, target = edge.ends
    return any(
        _kind(one) == Kind.NONE and bool(_kind(other) & Kind.MANUAL)
        for one, other in ((source, target), (target, source))
    )


def _connected(edge: Edge) -> bool:
    """A large tensor does not pass between partitions."""
    return not any(_kind(node) & (Kind.LOAD | Kind.MMA) for node in edge.ends) and (
        edge.size > _LARGE
    )


def _load_epilogue(edge: Edge) -> bool:
    """A load that feeds no MMA runs where it is used."""
    source, _ = edge.ends
    if not _kind(source) & Kind.LOAD:
        return False
    worklist, visited = [source], {source}
    while worklist:
        node = worklist.pop()
        # A node of several partitions is no MMA: those are in one partition each.
        if (len(node.partitions) == 1 and _kind(node) & Kind.MMA) or isinstance(node.op, tt.DotOp):
            return False
        for out_edge in node.out_edges():
            if out_edge.target.node not in visited:
                visited.add(out_edge.target.node)
                worklist.append(out_edge.target.node)
    return True


EDGE_RULES: tuple[Callable[[Edge], bool], ...] = (
    _load_local_alloc,
    _view_sequence,
    _view_producer,
    _view_consumer,
    _iter_arg,
    _iter_arg_token,
    _if_result_token,
    _sfu_consumer,
    _sequence,
    _sequence_sfu,
    _tmem_load,
    _tmem_store,
    _none_consumer,
    _none_producer_costly,
    _none_producer,
    _connected_store,
    _connected_none,
    _connected_none_manual,
    _connected,
    _load_epilogue,
)
"""Conditions under which both ends of an edge go to one partition, the most important first."""


def may_merge(edge: Edge) -> bool:
    """Check what no rule may break.

    Partitions of the user's stay apart. Accesses to TMEM need four warps, so that they stay out of
    the partition of the MMAs.
    """
    source, target = edge.ends
    kinds = (_kind(source), _kind(target))
    if all(kind & Kind.MANUAL for kind in kinds):
        return False
    for one, other in (kinds, kinds[::-1]):
        if one & Kind.MMA and other & Kind.TMEM:
            return False
    return not (isinstance(source.op, ttng.TMEMAllocOp) and _kind(target) & Kind.MMA)


# ------------------------------------------------------------------------------ rules for pairs
def _both_mmas(first: Partition, second: Partition) -> bool:
    return first.kind == second.kind == Kind.MMA


def _both_loads(first: Partition, second: Partition) -> bool:
    return first.kind == second.kind == Kind.LOAD


def _none_and_store(first: Partition, second: Partition) -> bool:
    return any(
        one.kind == Kind.NONE and bool(other.kind & Kind.STORE)
        for one, other in ((first, second), (second, first))
    )


def _same_tmem(first: Partition, second: Partition) -> bool:
    """Only one partition beside that of the MMAs accesses a buffer in TMEM."""
    if not (first.kind & Kind.TMEM and second.kind & Kind.TMEM):
        return False
    return not _tmem_allocations(first).isdisjoint(_tmem_allocations(second))


def _tmem_allocations(partition: Partition) -> set[Operation]:
    """Find the buffers in TMEM that a partition loads from or stores to."""
    allocations: set[Operation] = set()
    for node in partition.nodes:
        match node.op:
            case ttng.TMEMLoadOp(src=buffer) | ttng.TMEMStoreOp(dst=buffer):
                allocation = defining_op(buffer)
                if allocation is not None:
                    allocations.add(allocation)
            case _:
                pass
    return allocations


PAIR_RULES = (_both_mmas, _both_loads, _none_and_store, _same_tmem)
"""Conditions under which two partitions become one, the most important first."""
