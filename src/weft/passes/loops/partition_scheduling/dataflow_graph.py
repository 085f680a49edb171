"""The dataflow graph of a warp-specialized loop, whose nodes are divided among partitions.

A node is an operation, an iter_arg or a result of a conditional. An edge is a value: it leads from
an output of the node that defines it to an input of a node that uses it. The nodes in the regions
of an operation are its children.

    %x = tt.descriptor_load …         load ──> local_alloc ──> tc_gen5_mma
    %m = ttg.local_alloc %x           data edges: tiles, and the tokens of MMAs
    ttng.tc_gen5_mma %m, …

Source: Triton, PartitionSchedulingUtility.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from msgspec import Struct

from weft.ir import ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.passes.loops.partition_scheduling.operation_kinds import Kind, cost_of, kind_of

__all__ = [
    "Edge",
    "Graph",
    "Node",
    "Partition",
    "Port",
    "connect",
    "crossing_edges",
    "disconnect",
]


class Partition:
    """A set of nodes that one group of warps runs.

    Attributes:
        nodes: The nodes, in the order in which they joined.
        kind: What the nodes do; VIEW only if all of them are views.
        cost: The sum of the costs of the nodes.
        id: The number of the partition, once there is one.
    """

    __slots__ = ("cost", "id", "kind", "nodes")

    def __init__(self) -> None:
        self.nodes: dict[Node, None] = {}
        self.kind = Kind.NONE
        self.cost = 0
        self.id: int | None = None

    def add(self, node: Node) -> None:
        """Add a node, which counts again if it is there already, as in Triton."""
        kind = kind_of(node.op)
        all_views = bool(kind & Kind.VIEW) and (not self.nodes or bool(self.kind & Kind.VIEW))
        self.nodes[node] = None
        self.kind |= kind
        if not all_views:
            self.kind &= ~Kind.VIEW
        self.cost += node.cost

    @property
    def stage(self) -> int:
        """The stage of the partition's loop: MMAs run one stage later than what they read."""
        return 1 if self.kind & Kind.MMA else 0


class Port(Struct, frozen=True):
    """An input or an output of a node.

    Attributes:
        node: The node.
        index: The number of the input or output.
    """

    node: Node
    index: int


class Edge(Struct, frozen=True):
    """A value from the output of a node to the input of another one.

    Attributes:
        source: The output; None for a value from outside of the loop.
        target: The input.
    """

    source: Port | None
    target: Port

    @property
    def is_data(self) -> bool:
        """Whether the value is data, rather than an index or a flag."""
        return self.source is not None and self.source.node.data_outputs[self.source.index]

    @property
    def crosses_partitions(self) -> bool:
        """Whether data passes between nodes of two partitions, each in a single one."""
        if self.source is None or not self.is_data:
            return False
        source, target = self.source.node.partitions, self.target.node.partitions
        return len(source) == 1 and len(target) == 1 and source.keys() != target.keys()

    @property
    def ends(self) -> tuple[Node, Node]:
        """The nodes of an edge of which both are in the graph."""
        assert self.source is not None
        return self.source.node, self.target.node

    @property
    def size(self) -> int:
        """The number of elements of the value."""
        assert self.source is not None
        type_ = self.source.node.value_of_output(self.source.index).type
        if isinstance(type_, ttg.MemDescType):
            return prod(type_.shape)
        return prod(types.shape(type_)) if types.is_tensor(type_) else 1


class Node:
    """An operation or a value of the graph.

    Attributes:
        parent: The node whose region contains this one.
        op: The operation; None for a value.
        value: The value; None for an operation.
        children: The nodes in the regions of the operation.
        definitions: The nodes of the block arguments and results of control flow.
        inputs: For each input, the output that it reads; None for values from elsewhere.
        outputs: For each output, the inputs that read it.
        data_outputs: For each output, whether it is data.
        partitions: The partitions of the node.
        cost: See `operation_kinds.cost_of`.
    """

    __slots__ = (
        "children",
        "cost",
        "data_outputs",
        "definitions",
        "inputs",
        "op",
        "outputs",
        "parent",
        "partitions",
        "value",
    )

    def __init__(
        self,
        parent: Node | None,
        subject: Operation | SSAValue,
        num_inputs: int = 0,
        num_outputs: int = 0,
    ) -> None:
        self.parent = parent
        self.op = subject if isinstance(subject, Operation) else None
        self.value = subject if isinstance(subject, SSAValue) else None
        self.children: list[Node] = []
        self.definitions: list[Node] = []
        self.inputs: list[Port | None] = [None] * num_inputs
        self.outputs: list[list[Port]] = [[] for _ in range(num_outputs)]
        self.data_outputs = [False] * num_outputs
        self.partitions: dict[Partition, None] = {}
        self.cost = cost_of(self.op)

    def add_child(self, subject: Operation | SSAValue, num_inputs: int, num_outputs: int) -> Node:
        """Add a node inside this one."""
        self.children.append(Node(self, subject, num_inputs, num_outputs))
        return self.children[-1]

    def walk(self) -> Iterator[Node]:
        """Iterate over the nodes inside, each before its children."""
        for child in self.children:
            yield child
            yield from child.walk()

    def value_of_output(self, index: int) -> SSAValue:
        """Get the value of an output."""
        if self.op is not None:
            return self.op.results[index]
        assert self.value is not None
        return self.value

    @property
    def is_data(self) -> bool:
        """Whether the node reads or defines data."""
        return any(self.data_outputs) or any(edge.is_data for edge in self.in_edges())

    def in_edges(self) -> list[Edge]:
        """List one edge for each input."""
        return [Edge(source, Port(self, i)) for i, source in enumerate(self.inputs)]

    def out_edges(self) -> list[Edge]:
        """List the edges from all outputs."""
        return [
            Edge(Port(self, index), target)
            for index, targets in enumerate(self.outputs)
            for target in targets
        ]

    def count_data_inputs(self) -> int:
        """Count the inputs that are data."""
        return sum(edge.is_data for edge in self.in_edges())

    def count_data_outputs(self) -> int:
        """Count the edges of data from all outputs."""
        return sum(
            len(targets)
            for targets, is_data in zip(self.outputs, self.data_outputs, strict=True)
            if is_data
        )

    @property
    def partition(self) -> Partition:
        """The only partition of the node."""
        (partition,) = self.partitions
        return partition

    def set_partition(self, partition: Partition) -> None:
        """Move the node to one partition."""
        for current in self.partitions:
            current.nodes.pop(self, None)
        self.partitions = {partition: None}
        partition.add(self)

    def add_partitions(self, partitions: Iterable[Partition]) -> None:
        """Add the node to more partitions."""
        for partition in tuple(partitions):
            self.partitions[partition] = None
            partition.add(self)


def connect(source: Port, target: Port) -> None:
    """Add an edge."""
    source.node.outputs[source.index].append(target)
    target.node.inputs[target.index] = source


def disconnect(edge: Edge) -> None:
    """Remove an edge."""
    assert edge.source is not None
    edge.source.node.outputs[edge.source.index].remove(edge.target)
    edge.target.node.inputs[edge.target.index] = None


class Graph:
    """The graph of a loop.

    Attributes:
        root: A node for the loop that contains all others.
        partitions: The partitions, in the order of their creation.
    """

    __slots__ = ("partitions", "root")

    def __init__(self, loop: Operation) -> None:
        self.root = Node(None, loop)
        self.partitions: dict[Partition, None] = {}

    def add_partition(self) -> Partition:
        """Create a partition."""
        partition = Partition()
        self.partitions[partition] = None
        return partition

    def merge(self, first: Partition, second: Partition) -> None:
        """Merge two partitions.

        The nodes move to the second one, except that one of the user's stays, and that one of no
        kind is the one that disappears.
        """
        if first.kind & Kind.MANUAL or second.kind == Kind.NONE:
            first, second = second, first
        for node in tuple(first.nodes):
            node.set_partition(second)
        del self.partitions[first]


def crossing_edges(partitions: Iterable[Partition]) -> list[Edge]:
    """List the edges of data that leave partitions."""
    return [
        edge
        for partition in partitions
        for node in partition.nodes
        for edge in node.out_edges()
        if edge.crosses_partitions
    ]
