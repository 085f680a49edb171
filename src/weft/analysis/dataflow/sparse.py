"""Sparse forward dataflow analysis: a lattice element for each SSA value.

The operations that read a value are the only ones that depend on its element. So the solver keeps
a worklist: when an element changes, the users of the value are visited again.

Worked example: which power of two divides a value. The join is the minimum, ∞ divides 0, and
`addi` has the transfer function min(lhs, rhs).

    %c0 = arith.constant 0                        visit          result
    %c8 = arith.constant 8                        %c0            %c0 = ∞
    %r = scf.for … iter_args(%a = %c0) {          %c8            %c8 = 8
      %b = arith.addi %a, %c8                     scf.for        %a = ∞, %r = ∞
      scf.yield %b                                %b             min(∞, 8) = 8
    }                                             scf.yield      %a = join(∞, 8) = 8, %r = 8
                                                  %b             min(8, 8) = 8: no change, fixpoint

A value has no element (None) until an operation that runs has computed one. This is optimistic:
the loop above is entered with %a = ∞ alone, and what the back edge adds is joined later. Elements
only move up the lattice, so in a lattice of finite height the worklist runs empty.

Control flow. An edge leads from a branch, a region operation or a region terminator to a block or
to the results of a region operation. It joins the elements of the operands that it forwards into
those of the values that receive them. Operations are visited in blocks that a followed edge has
reached. An analysis that overrides `live_edges` to leave out edges that are never taken therefore
gets dead-code analysis with it, as sparse conditional constant propagation does.

Calls. `run` starts at the public functions. A call is an edge to the entry block of its callee,
a return an edge to the results of all calls seen so far; functions are not cloned per call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from functools import cache
from typing import Generic, TypeVar

from weft.analysis.dataflow.call_graph import callees_first
from weft.analysis.dataflow.worklist import Worklist
from weft.ir import tt
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.interfaces import (
    BlockEdge,
    BranchOpInterface,
    CallOpInterface,
    RegionBranchOpInterface,
    RegionBranchTerminatorOpInterface,
    RegionEdge,
)

__all__ = ["Edge", "SparseForwardAnalysis"]

State = TypeVar("State")
Edge = BlockEdge | RegionEdge


class SparseForwardAnalysis(ABC, Generic[State]):
    """A forward analysis with an element of type `State` for each SSA value.

    Attributes:
        states: The lattice elements computed so far. A value that is missing is uninitialized:
            no operation that runs has computed it yet.
    """

    def __init__(self) -> None:
        self.states: dict[SSAValue, State] = {}
        self._worklist = Worklist()
        self._live_blocks: set[Block] = set()
        self._callees: dict[str, tt.FuncOp] = {}
        self._calls: dict[tt.FuncOp, list[Operation]] = {}

    # ------------------------------------------------------------------ what an analysis defines

    @abstractmethod
    def join(self, first: State, second: State) -> State:
        """Compute the least element that describes what either of two elements describes."""

    @abstractmethod
    def entry_state(self, value: SSAValue) -> State | None:
        """Compute the element of a value that the analysis knows nothing about.

        Returns:
            The pessimistic element; None if the analysis does not track the value.
        """

    @abstractmethod
    def visit_operation(self, op: Operation) -> None:
        """Apply the transfer function: read operands' elements and `update` the results."""

    def live_edges(self, op: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
        """Select the edges out of a branch, region operation or terminator that may be taken."""
        return edges

    def argument_state(self, op: Operation, argument: SSAValue) -> State | None:
        """Compute the element of a block argument that `op` sets itself: an induction variable."""
        return self.entry_state(argument)

    # ---------------------------------------------------------------------------------- the solver

    def run(self, module: ModuleOp) -> None:
        """Analyse a module: its public functions and all that they call."""
        functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        self._callees = {function.symbol: function for function in functions}
        for function in callees_first(functions):
            self._worklist.number(function.body)
        for function in functions:
            if function.is_public:
                self.start(function.body)
        self.solve()

    def enter(self, function: tt.FuncOp) -> None:
        """Enter a function, whose arguments have got their elements."""
        self._worklist.number(function.body)
        self.reach(function.entry)

    def solve(self) -> None:
        """Visit operations until the worklist is empty."""
        pop, visit = self._worklist.pop, self._visit
        while (op := pop()) is not None:
            visit(op)

    def update(self, value: SSAValue, state: State | None) -> bool:
        """Join an element into that of a value; None, an uninitialized one, changes nothing.

        Returns:
            Whether the element changed. The users of the value are then visited again.
        """
        if state is None:
            return False
        old = self.states.get(value)
        new = state if old is None else self.join(old, state)
        if old is not None and new == old:
            return False
        self.states[value] = new
        for use in value.uses:
            user = use.operation
            if user.parent in self._live_blocks:
                self._worklist.push(user)
        return True

    def set_to_entry_state(self, values: Iterable[SSAValue]) -> None:
        """Join the pessimistic element into each value."""
        for value in values:
            self.update(value, self.entry_state(value))

    def start(self, region: Region) -> None:
        """Enter a region with arguments that nothing is known about."""
        entry = region.blocks.first
        if entry is not None:
            self.set_to_entry_state(entry.args)
            self.reach(entry)

    def reach(self, block: Block) -> None:
        """Mark a block as live; the first time, its operations are visited."""
        if block not in self._live_blocks:
            self._live_blocks.add(block)
            for op in block.ops:
                self._worklist.push(op)

    def is_live(self, block: Block) -> bool:
        """Check whether an edge that was followed leads to a block."""
        return block in self._live_blocks

    def follow(self, edge: Edge) -> bool:
        """Transfer control and values along an edge.

        Returns:
            Whether the element of a value that receives an operand changed.
        """
        changed = False
        for operand, receiver in edge.forwarded():
            changed |= self.update(receiver, self.states.get(operand))
        if isinstance(edge, BlockEdge):
            self.reach(edge.block)
        elif edge.region is None:
            self._set_other_results(edge)
        elif (entry := edge.region.blocks.first) is not None:
            self._set_other_arguments(edge, entry)
            self.reach(entry)
        return changed

    def _set_other_arguments(self, edge: RegionEdge, entry: Block) -> None:
        """Set the arguments of a region that no operand is forwarded to."""
        op = entry.parent_op()
        if len(edge.inputs) < len(entry.args) and op is not None:
            for argument in entry.args:
                if argument not in edge.inputs:
                    self.update(argument, self.argument_state(op, argument))

    def _set_other_results(self, edge: RegionEdge) -> None:
        """Set the results of a region operation that no operand is forwarded to."""
        op = edge.source
        if isinstance(op, RegionBranchOpInterface) and not op.successor_inputs(None):
            self.set_to_entry_state(op.results)

    def _visit(self, op: Operation) -> None:
        kind = _kind(type(op))
        if kind is _Kind.ORDINARY:
            self.visit_operation(op)
        elif isinstance(op, CallOpInterface):
            self.visit_call(op)
        elif isinstance(op, tt.ReturnOp):
            self._visit_return(op)
        else:
            for edge in self.live_edges(op, _edges(op)):
                self.follow(edge)

    def visit_call(self, call: CallOpInterface) -> None:
        """Follow a call to its callee; the results of an external call are unknown."""
        callee = self._callees.get(call.callee_name)
        if callee is None or callee.callable_region is None:
            self.set_to_entry_state(call.results)
            return
        calls = self._calls.setdefault(callee, [])
        if call not in calls:
            calls.append(call)
            # The callee may have returned to other calls before: return to this one, too.
            for return_op in callee.return_ops():
                if return_op.parent in self._live_blocks:
                    self._worklist.push(return_op)
        # The arguments of a public function are in the entry state, since a launch sets them.
        if not callee.is_public:
            for operand, argument in zip(call.arg_operands, callee.entry.args, strict=True):
                self.update(argument, self.states.get(operand))
            self.reach(callee.entry)

    def _visit_return(self, op: Operation) -> None:
        function = op.parent_op()
        if isinstance(function, tt.FuncOp):
            for call in self._calls.get(function, ()):
                for operand, result in zip(op.operands, call.results, strict=True):
                    self.update(result, self.states.get(operand))


class _Kind(Enum):
    """How the solver treats an operation: by its transfer function, or as control flow."""

    ORDINARY = auto()
    CONTROL_FLOW = auto()


@cache
def _kind(cls: type[Operation]) -> _Kind:
    control_flow = (
        BranchOpInterface,
        CallOpInterface,
        RegionBranchOpInterface,
        RegionBranchTerminatorOpInterface,
        tt.ReturnOp,
    )
    return _Kind.CONTROL_FLOW if issubclass(cls, control_flow) else _Kind.ORDINARY


def _edges(op: Operation) -> Sequence[Edge]:
    """List the edges out of a branch, a region operation or a region terminator."""
    edges: list[Edge] = []
    if isinstance(op, BranchOpInterface):
        edges += op.block_edges()
    if isinstance(op, RegionBranchOpInterface):
        edges += op.entry_edges()
    if isinstance(op, RegionBranchTerminatorOpInterface):
        edges += op.region_edges()
    return edges
