"""Integer ranges of a module, by sparse dataflow analysis with bounded loops.

A lattice of ranges is as tall as there are integers, so a loop that adds to a carried value does
not reach a fixpoint in any useful time. A loop is therefore followed for as many iterations as it
can run at most, and no longer:

    %r = scf.for %i = 0 to 4 iter_args(%a = 0) {    %i: [0, 3]
      %b = arith.addi %a, %i                        %a: [0, 0], then joined with %b each time
      scf.yield %b                                      [0, 3], [0, 6], [0, 9]: 4 iterations
    }                                               %b and %r: [0, 12]

The back edge is followed once per iteration after the first. The worklist visits operations in
program order, so one round through the body is one iteration. When a value that the body reads
from outside changes, because an outer loop starts its next iteration, the count starts over.

A loop that may run more than MAX_ITERATIONS times (over all iterations of the loops around it), a
`scf.while`, and a cycle of branches are not followed: what they carry is in the entry state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from typing_extensions import override

from weft.analysis.dataflow import Edge, SparseForwardAnalysis
from weft.analysis.dataflow.call_graph import function_of, recursive_functions
from weft.analysis.dataflow.worklist import loop_headers
from weft.analysis.integer_ranges.assumptions import Assumptions
from weft.analysis.integer_ranges.integer_range import IntegerRange, width_of
from weft.analysis.integer_ranges.transfer_functions import TRANSFER_FUNCTIONS
from weft.analysis.integer_ranges.trip_counts import MAX_ITERATIONS, induction_range, max_trip_count
from weft.ir import scf, tt
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.interfaces import (
    BlockEdge,
    CallOpInterface,
    RegionBranchTerminatorOpInterface,
    RegionEdge,
)
from weft.ir.rewriting import ancestors

__all__ = ["IntegerRangeAnalysis"]


class IntegerRangeAnalysis(SparseForwardAnalysis[IntegerRange]):
    """The range of each integer of a module, and of the elements of each tensor of integers."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__()
        self._assumptions = Assumptions(module)
        self._functions = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
        self._recursive: set[tt.FuncOp] | None = None
        self._headers: dict[Region, set[Block]] = {}
        # Of each loop that is followed: how often its back edge may be taken, and still may be.
        self._back_edges: dict[scf.ForOp, int] = {}
        self._back_edges_left: dict[scf.ForOp, int] = {}
        self._outside_readers: dict[SSAValue, tuple[scf.ForOp, ...]] = {}
        self.run(module)
        for function in self._functions:
            # A private function without calls: its arguments can be anything.
            if function.callable_region is not None and not self.is_live(function.entry):
                self.start(function.body)
                self.solve()

    # ------------------------------------------------------------------------------ the lattice

    @override
    def join(self, first: IntegerRange, second: IntegerRange) -> IntegerRange:
        return first.union(second)

    @override
    def entry_state(self, value: SSAValue) -> IntegerRange | None:
        """Compute the full range, or what the first block of the function assumes of a value."""
        width = width_of(value.type)
        if width is None:
            return None
        if value in self._assumptions:
            owner = value.owner
            op = owner if isinstance(owner, Operation) else owner.parent_op()
            assert op is not None
            function = op if isinstance(op, tt.FuncOp) else function_of(op)
            assumed = self._assumptions.range_in(value, function.entry)
            if assumed is not None:
                return assumed
        return IntegerRange.full(width)

    @override
    def visit_operation(self, op: Operation) -> None:
        results = [result for result in op.results if width_of(result.type) is not None]
        if not results:
            return
        transfer = TRANSFER_FUNCTIONS.get(type(op))
        if transfer is None:
            self.set_to_entry_state(results)
            return
        inferred = transfer(op, [self._operand_range(operand, op) for operand in op.operands])
        for result in results:
            self.update(result, self._with_assumptions(result, op, inferred))

    def _operand_range(self, value: SSAValue, op: Operation) -> IntegerRange | None:
        """Compute the range of an operand where `op` reads it: assumptions take precedence."""
        if value in self._assumptions and op.parent is not None:
            assumed = self._assumptions.range_in(value, op.parent)
            if assumed is not None:
                return assumed
        return self.states.get(value)

    def _with_assumptions(
        self, value: SSAValue, op: Operation, inferred: IntegerRange | None
    ) -> IntegerRange | None:
        if value not in self._assumptions or op.parent is None:
            return inferred
        assumed = self._assumptions.range_in(value, op.parent)
        if assumed is None or inferred is None:
            return assumed if inferred is None else inferred
        return inferred.intersection(assumed)

    # -------------------------------------------------------------------------------- control flow

    @override
    def update(self, value: SSAValue, state: IntegerRange | None) -> bool:
        changed = super().update(value, state)
        if changed and self._back_edges:
            # The loop starts again with other values, so it may run all its iterations again.
            for loop in self._loops_that_read(value):
                if loop in self._back_edges:
                    self._back_edges_left[loop] = self._back_edges[loop]
        return changed

    def _loops_that_read(self, value: SSAValue) -> tuple[scf.ForOp, ...]:
        """List the loops with a user of a value that is defined outside of them."""
        loops = self._outside_readers.get(value)
        if loops is None:
            home = value.owner if isinstance(value.owner, Block) else value.owner.parent
            loops = tuple(
                {
                    loop: None
                    for use in value.uses
                    if use.operation.parent is not home
                    for loop in _loops_between(use.operation, home)
                }
            )
            self._outside_readers[value] = loops
        return loops

    @override
    def live_edges(self, op: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
        if isinstance(op, scf.ForOp):
            self._enter_loop(op)
            return edges
        if isinstance(op, scf.WhileOp):
            self._enter_unbounded(op)
            return ()
        if isinstance(op, RegionBranchTerminatorOpInterface):
            loop = op.parent_op()
            if isinstance(loop, scf.ForOp) and loop not in self._back_edges:
                return ()
            if isinstance(loop, scf.WhileOp):
                return ()
        return edges

    def _enter_loop(self, loop: scf.ForOp) -> None:
        """Count the iterations of a loop; give up what it carries if there are too many."""
        carried = [value for value in loop.iter_args if width_of(value.type) is not None]
        trips = max_trip_count(loop, self.states.get) if carried else 0
        if 0 < trips <= MAX_ITERATIONS:
            self._back_edges[loop] = self._back_edges_left[loop] = trips - 1
            return
        # Too long to follow, so the carried values can be anything. `trips` is 0 if the loop
        # carries no integers or never runs.
        self._back_edges.pop(loop, None)
        if trips:
            self.set_to_entry_state((*loop.iter_args, *loop.loop_results))

    def _enter_unbounded(self, loop: scf.WhileOp) -> None:
        self.set_to_entry_state(loop.results)
        for region in loop.loop_regions:
            self.start(region)

    @override
    def follow(self, edge: Edge) -> bool:
        if isinstance(edge, BlockEdge):
            # A cycle of branches has no trip count to stop at.
            if edge.block in self._loop_headers(edge.block.parent):
                self.set_to_entry_state(edge.block.args)
            return super().follow(edge)
        loop = _loop_of_back_edge(edge)
        if loop is None:
            return super().follow(edge)
        if not self._back_edges_left[loop]:
            return False
        changed = super().follow(edge)
        # An iteration that changes nothing does not count: the fixpoint is reached early.
        self._back_edges_left[loop] -= changed
        return changed

    def _loop_headers(self, region: Region | None) -> Iterable[Block]:
        """Find the blocks of a region that branches lead back to."""
        if region is None:
            return ()
        if region not in self._headers:
            self._headers[region] = loop_headers(region)
        return self._headers[region]

    @override
    def argument_state(self, op: Operation, argument: SSAValue) -> IntegerRange | None:
        if isinstance(op, scf.ForOp):
            return induction_range(op, self.states.get)
        return self.entry_state(argument)

    @override
    def visit_call(self, call: CallOpInterface) -> None:
        """Follow a call; recursion, like a loop without bounds, passes and returns anything."""
        if self._recursive is None:
            self._recursive = recursive_functions(self._functions)
        callee = next((f for f in self._recursive if f.symbol == call.callee_name), None)
        if callee is None:
            super().visit_call(call)
            return
        self.set_to_entry_state(call.results)
        self.start(callee.body)


def _loop_of_back_edge(edge: RegionEdge) -> scf.ForOp | None:
    """Find the loop whose next iteration an edge starts, None for other edges."""
    loop = None if edge.region is None else edge.region.parent
    return loop if isinstance(loop, scf.ForOp) and edge.source is not loop else None


def _loops_between(op: Operation, home: Block | None) -> list[scf.ForOp]:
    """List the loops around an operation, out to a block that one of them lies in."""
    loops: list[scf.ForOp] = []
    for around in ancestors(op):
        if isinstance(around, scf.ForOp):
            loops.append(around)
        if around.parent is home:
            break
    return loops
