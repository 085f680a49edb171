"""Build the dataflow graph of a loop, and mark its data.

scf.for            inputs: the bounds and the step; a child for the induction variable, and one for
                   each iter_arg, whose inputs are the init arg and the yielded value
scf.if             input: the condition; a child for each result, whose inputs are what the
                   regions yield
other operations   inputs: the operands; outputs: the results
"""

from __future__ import annotations

from weft.ir import scf, tt, ttng
from weft.ir.builtin import Operation, SSAValue
from weft.passes.loops.partition_scheduling.dataflow_graph import (
    Graph,
    Node,
    Port,
    connect,
    disconnect,
)
from weft.passes.loops.partition_scheduling.operation_kinds import is_view

__all__ = ["build_graph", "duplicate_views", "mark_data"]

_USER_DATA = "data"  # an attribute by which the user marks the results of an operation


class _GraphBuilder:
    """Creates the nodes, then the edges.

    Attributes:
        nodes: The node of each operation.
        inputs: The input of each operand: (operation, number of the operand).
        outputs: The output of each value, in the order of their definition.
    """

    __slots__ = ("inputs", "nodes", "outputs")

    def __init__(self) -> None:
        self.nodes: dict[Operation, Node] = {}
        self.inputs: dict[tuple[Operation, int], Port] = {}
        self.outputs: list[tuple[Port, SSAValue]] = []

    def add(self, parent: Node, op: Operation) -> None:
        """Add an operation and what is inside."""
        match op:
            case scf.ForOp():
                self._add_loop(parent, op)
            case scf.IfOp():
                node = self._add_node(parent, op, 1, 0)
                for result in op.results:
                    child = node.add_child(result, 2, 1)
                    node.definitions.append(child)
                    self.outputs.append((Port(child, 0), result))
                self._add_regions(node, op)
            case tt.ReduceOp():
                node = self._add_node(parent, op, 1, 1)
                self.outputs.append((Port(node, 0), op.results[0]))
                self._add_regions(node, op)
            case scf.YieldOp():
                self._add_yield(op)
            case tt.ReturnOp():
                pass
            case _:
                node = self._add_node(parent, op, len(op.operands), len(op.results))
                self.outputs += [
                    (Port(node, index), result) for index, result in enumerate(op.results)
                ]

    def _add_node(self, parent: Node, op: Operation, num_inputs: int, num_outputs: int) -> Node:
        node = parent.add_child(op, num_inputs, num_outputs)
        self.nodes[op] = node
        for index in range(num_inputs):
            self.inputs[op, index] = Port(node, index)
        return node

    def _add_regions(self, node: Node, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    self.add(node, inner)

    def _add_loop(self, parent: Node, loop: scf.ForOp) -> None:
        node = self._add_node(parent, loop, len(loop.bounds), 0)
        variable = node.add_child(loop.induction_variable, 0, 1)
        node.definitions.append(variable)
        self.outputs.append((Port(variable, 0), loop.induction_variable))
        for index, argument in enumerate(loop.iter_args):
            child = node.add_child(argument, 2, 1)
            node.definitions.append(child)
            self.outputs.append((Port(child, 0), argument))
            self.outputs.append((Port(child, 0), loop.results[index]))
            self.inputs[loop, len(loop.bounds) + index] = Port(child, 0)
        self._add_regions(node, loop)

    def _add_yield(self, op: scf.YieldOp) -> None:
        parent = op.parent_op()
        assert isinstance(parent, scf.ForOp | scf.IfOp)
        node = self.nodes[parent]
        if isinstance(parent, scf.ForOp):
            children, port = node.definitions[1:], 1
        else:
            children, port = node.definitions, 0 if op.parent is parent.then_block else 1
        for index in range(len(op.operands)):
            self.inputs[op, index] = Port(children[index], port)

    def connect(self) -> None:
        """Add an edge for each use of a value."""
        for output, value in self.outputs:
            for use in value.uses:
                target = self.inputs.get((use.operation, use.index))
                if target is not None:
                    connect(output, target)


def build_graph(loop: scf.ForOp) -> Graph:
    """Build the dataflow graph of a loop."""
    graph = Graph(loop)
    builder = _GraphBuilder()
    builder.add(graph.root, loop)
    builder.connect()
    return graph


def mark_data(graph: Graph) -> None:
    """Mark as data what is loaded by TMA or from TMEM, results of MMAs, and all that depends on it.

    Results of operations with the attribute "data" are data, too.
    """
    ports: list[Port] = []
    for node in graph.root.walk():
        op = node.op
        if isinstance(
            op, tt.DescriptorLoadOp | tt.DescriptorGatherOp | ttng.TMEMLoadOp | ttng.TCGen5MMAOp
        ) or (op is not None and _USER_DATA in op.attributes):
            ports += [Port(node, index) for index in range(len(node.outputs))]
    visited = {(port.node, port.index) for port in ports}
    for port in ports:
        port.node.data_outputs[port.index] = True
    while ports:
        port = ports.pop()
        for target in port.node.outputs[port.index]:
            for index in range(len(target.node.outputs)):
                target.node.data_outputs[index] = True
                if (target.node, index) not in visited:
                    visited.add((target.node, index))
                    ports.append(Port(target.node, index))


def duplicate_views(graph: Graph) -> None:
    """Give every user of a view of data its own node for the view, so that each can choose."""
    views = [
        node
        for node in graph.root.walk()
        if node.op is not None and node.is_data and is_view(node.op)
    ]
    for node in reversed(views):
        assert node.op is not None
        assert node.parent is not None
        for edge in node.out_edges()[1:]:
            copy = node.parent.add_child(node.op, len(node.inputs), len(node.outputs))
            disconnect(edge)
            connect(Port(copy, 0), edge.target)
            for index, source in enumerate(node.inputs):
                if source is not None:
                    connect(source, Port(copy, index))
            copy.data_outputs = list(node.data_outputs)
