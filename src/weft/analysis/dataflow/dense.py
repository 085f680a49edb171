"""Dense forward dataflow analysis: a lattice element for each program point.

The element before an operation describes all executions that reach it; the transfer function
computes the element after it. Nothing but the order of operations matters, so the solver runs
over whole blocks.

Worked example: the buffers written since the last barrier. The join is the union; a barrier
empties the set.

    local_store %x, %a               {}  → {a}
    scf.for … {                               first pass    second pass
      local_load %b                           {a}           {a, b}       = join({a}, {a, b})
      local_store %y, %b                      {a, b}        {a, b}       fixpoint
    }
    barrier                          {a, b} → {}          join(no iteration {a}, loop {a, b})

Each region operation is a small graph: its regions are the nodes, what `successor_regions` says
are the edges; so is each region of several blocks. The solver runs the nodes in reverse postorder.
The element at the entry of a node is the join over its predecessors, as they were left by their
last run. Only where an edge leads backwards, at the header of a loop, elements accumulate. That
is where a fixpoint has to be found, and a transfer function that is not monotone (one that
inserts a barrier and forgets what came before) leaves nothing stale at the other joins.

Nested regions start afresh with each run of the region around them. The last run of every
operation sees the fixpoint, so an analysis may record what it decides when it visits an operation,
and overwrite it with each visit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Generic, TypeVar

from weft.analysis.dataflow.worklist import reverse_postorder
from weft.ir.builtin import Block, Operation, Region
from weft.ir.dominance import successors
from weft.ir.interfaces import RegionBranchOpInterface

__all__ = ["DenseForwardAnalysis"]

State = TypeVar("State")
_Node = TypeVar("_Node", Block, Region)
_ENTRY = -1  # the predecessor of the nodes that control enters first


class DenseForwardAnalysis(ABC, Generic[State]):
    """A forward analysis with an element of type `State` for each program point."""

    @abstractmethod
    def join(self, first: State, second: State) -> State:
        """Compute the least element that describes what either of two elements describes."""

    @abstractmethod
    def visit_operation(self, op: Operation, before: State) -> State:
        """Compute the element after an operation that has no control flow inside it."""

    def visit(self, op: Operation, before: State) -> State:
        """Compute the element after any operation."""
        if op.regions and isinstance(op, RegionBranchOpInterface):
            return self.visit_region_branch(op, before)
        return self.visit_operation(op, before)

    def visit_region_branch(self, op: RegionBranchOpInterface, before: State) -> State:
        """Compute the element after an operation from running its regions to a fixpoint."""
        regions = tuple(op.regions)
        predecessors: list[list[int]] = [[] for _ in regions]
        exits: list[int] = []
        for source in range(_ENTRY, len(regions)):
            for target in op.successor_regions(None if source == _ENTRY else regions[source]):
                into = exits if target is None else predecessors[regions.index(target)]
                into.append(source)
        after = self._fixpoint(regions, predecessors, self.visit_region, before)
        return self._join_all(exits, after, before)

    def visit_region(self, region: Region, before: State) -> State:
        """Compute the element where control leaves a region that it enters with `before`."""
        blocks = reverse_postorder(region)
        if not blocks:
            return before
        if len(blocks) == 1:
            return self.visit_block(blocks[0], before)
        predecessors: list[list[int]] = [[] for _ in blocks]
        predecessors[0].append(_ENTRY)
        numbers = {block: number for number, block in enumerate(blocks)}
        for block, number in numbers.items():
            for successor in successors(block):
                predecessors[numbers[successor]].append(number)
        after = self._fixpoint(blocks, predecessors, self.visit_block, before)
        exits = [number for block, number in numbers.items() if not successors(block)]
        return self._join_all(exits, after, before)

    def visit_block(self, block: Block, before: State) -> State:
        """Compute the element at the end of a block."""
        for op in block.ops:
            before = self.visit(op, before)
        return before

    def _fixpoint(
        self,
        nodes: Sequence[_Node],
        predecessors: Sequence[Sequence[int]],
        run: Callable[[_Node, State], State],
        before: State,
    ) -> dict[int, State]:
        """Run the nodes of a graph until their elements no longer change.

        Args:
            nodes: Blocks or regions, in reverse postorder.
            predecessors: Of each node, the numbers of its predecessors.
            run: Computes the element at the end of a node from that at its entry.
            before: The element of the predecessor `_ENTRY`.

        Returns:
            The element at the end of each node that is reached.
        """
        at_entry: dict[int, State] = {}
        at_end: dict[int, State] = {}
        changed = True
        while changed:
            changed = False
            for number, node in enumerate(nodes):
                sources = [one for one in predecessors[number] if one == _ENTRY or one in at_end]
                if not sources:
                    continue
                state = self._join_all(sources, at_end, before)
                is_header = any(source >= number for source in predecessors[number])
                if is_header and number in at_entry:
                    state = self.join(at_entry[number], state)
                if number not in at_entry or state != at_entry[number]:
                    at_entry[number] = state
                    at_end[number] = run(node, state)
                    changed = True
        return at_end

    def _join_all(self, sources: Sequence[int], at_end: dict[int, State], before: State) -> State:
        """Join the elements at the ends of some nodes; `before` if none of them is reached."""
        elements = [
            before if source == _ENTRY else at_end[source]
            for source in sources
            if source == _ENTRY or source in at_end
        ]
        return reduce(self.join, elements) if elements else before
