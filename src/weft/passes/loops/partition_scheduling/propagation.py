"""Give partitions to the nodes that are no data: indices, flags, control flow.

    %i = arith.addi …                       needed by the load and by the store: in both partitions
    %x = tt.descriptor_load %d[%i, …]       partition 2
    tt.descriptor_store %o[%i, …], %y       partition 0

They are cheap, so that each partition computes what it needs.

Source: Triton, PartitionScheduling.cpp.
"""

from __future__ import annotations

from weft.ir import tt, ttng
from weft.passes.loops.partition_scheduling.dataflow_graph import (
    Graph,
    Node,
    Partition,
    crossing_edges,
)
from weft.passes.loops.partition_scheduling.operation_kinds import Kind, kind_of

__all__ = ["assign_default_partition", "duplicate_cheap_ops", "propagate_partitions"]


def propagate_partitions(graph: Graph) -> None:
    """Give nodes without data the partitions of all that need them."""
    leaves = [
        node
        for node in graph.root.walk()
        if node.children and not any(child.children for child in node.children)
    ]
    has_changed = True
    while has_changed:
        for leaf in leaves:
            _propagate_to_parents(leaf)
        has_changed = _propagate_backward(graph)
    _propagate_forward(graph)
    for node in graph.root.walk():
        if isinstance(node.op, tt.ReduceOp):
            for inner in node.walk():
                inner.add_partitions(node.partitions)
    _place_stores_beside_allocations(graph)


def _propagate_to_parents(leaf: Node) -> None:
    """Give control flow the partitions of everything inside."""
    partitions: dict[Partition, None] = {}
    node: Node | None = leaf
    while node is not None:
        for child in node.children:
            partitions.update(child.partitions)
        node.add_partitions(partitions)
        node = node.parent


def _propagate_backward(graph: Graph) -> bool:
    """Give operands of control flow and of data the partitions of their users.

    Returns:
        Whether a node has got another partition.
    """
    sources = [node for node in graph.root.walk() if node.children]
    sources += [node for partition in graph.partitions for node in partition.nodes if node.is_data]
    has_changed = False
    for source in sources:
        partitions = tuple(source.partitions)
        worklist, visited = [source], {source}
        while worklist:
            for edge in worklist.pop().in_edges():
                if edge.source is None or edge.source.node.is_data:
                    continue
                node = edge.source.node
                count = len(node.partitions)
                node.add_partitions(partitions)
                has_changed |= len(node.partitions) != count
                if node not in visited:
                    visited.add(node)
                    worklist.append(node)
    return has_changed


def _propagate_forward(graph: Graph) -> None:
    """Give nodes that no partition needs a partition of an operand."""
    nodes = [node for node in graph.root.walk() if not node.partitions]
    count = -1
    while nodes and len(nodes) != count:
        count = len(nodes)
        for node in nodes:
            for edge in node.in_edges():
                if edge.source is not None:
                    # Each call replaces the partition: the last one of the last operand stays.
                    for partition in tuple(edge.source.node.partitions):
                        node.set_partition(partition)
        nodes = [node for node in nodes if not node.partitions]


def _place_stores_beside_allocations(graph: Graph) -> None:
    """Move the first store to an accumulator out of the partition of the MMAs.

    A store to TMEM needs four warps.
    """
    stores: list[Node] = []
    for node in graph.root.walk():
        if node.is_data or not isinstance(node.op, ttng.TMEMStoreOp):
            continue
        token = node.inputs[1] if len(node.inputs) > 1 else None
        if token is None or not isinstance(token.node.op, ttng.TMEMAllocOp):
            continue
        for partition in token.node.partitions:
            if not partition.kind & Kind.MMA:
                node.set_partition(partition)
                stores.append(node)
                break
    # What the store needs has to be in its new partition, too.
    for node in stores:
        partitions = tuple(node.partitions)
        worklist, visited = [node], {node}
        while worklist:
            for edge in worklist.pop().in_edges():
                if edge.source is None or edge.is_data:
                    continue
                source = edge.source.node
                source.add_partitions(partitions)
                if source not in visited:
                    visited.add(source)
                    worklist.append(source)


def assign_default_partition(graph: Graph) -> None:
    """Give nodes without users the partitions of what is beside them, else partition 0."""
    default = next((each for each in graph.partitions if each.id == 0), None)
    for node in graph.root.walk():
        if node.partitions:
            continue
        siblings = node.parent.children if node.parent is not None and node.parent.op else ()
        for sibling in siblings:
            if sibling is not node and sibling.op is not None and sibling.partitions:
                node.add_partitions(sibling.partitions)
        if not node.partitions:
            if default is None:
                default = graph.add_partition()
                default.id = 0
            node.set_partition(default)


def duplicate_cheap_ops(graph: Graph) -> None:
    """Repeat cheap operations in a partition that sends their operands and gets their results.

    A → x → y → A, where x and y are cheap and in partition B: A computes x and y itself.
    """
    for partition in tuple(graph.partitions):
        for edge in crossing_edges((partition,)):
            source, target = edge.ends
            if len(source.partitions) == len(target.partitions) == 1 and _is_cheap(target):
                path = _path_back(target, source.partition)
                for node in path:
                    node.add_partitions((source.partition,))


def _is_cheap(node: Node) -> bool:
    return kind_of(node.op) in (Kind.NONE, Kind.SFU)


def _path_back(start: Node, destination: Partition) -> list[Node]:
    """Find a path of cheap nodes of one partition to a cheap node of another.

    Args:
        start: The first node of the path.
        destination: The other partition.

    Returns:
        The nodes, last one first; empty if there is no path.
    """
    through = start.partition
    previous: dict[Node, Node] = {}
    worklist, visited = [start], set[Node]()
    while worklist:
        node = worklist.pop()
        if node in visited:
            continue
        visited.add(node)
        for edge in node.out_edges():
            child = edge.target.node
            if child in visited or len(child.partitions) != 1 or not _is_cheap(child):
                continue
            if child.partition is through:
                previous.setdefault(child, node)
                worklist.append(child)
            elif child.partition is destination:
                path = [node]
                while path[-1] in previous:
                    path.append(previous[path[-1]])
                return path
    return []
