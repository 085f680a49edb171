"""The insertion of barriers: a worklist of the segments of code between branches.

    ^bb0:  A                 segment 1: A, until the loop
           scf.for { B }     segment 2: B
           C                 segment 3: C, after the loop

A segment begins at the start of a block or after an operation with regions, and ends at the next
such operation or at the terminator. Each visit computes the accesses at its end from those at its
start, and inserts the barriers in between. Inserted barriers stay. Where the accesses
at the end have changed, the segments that follow are visited again.

`weft.analysis.dataflow` has a solver for the fixpoint alone; this one keeps the barriers of earlier
visits, and visits segments in Triton's order (Analysis/Membar.cpp), so that the barriers are the
same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from weft.analysis.dataflow.call_graph import callees_first
from weft.analysis.shared_memory_offsets import FunctionOffsets, ModuleOffsets
from weft.ir import tt, ttg
from weft.ir.builtin import Block, Operation, Region
from weft.ir.interfaces import (
    BranchOpInterface,
    CallOpInterface,
    RegionBranchOpInterface,
    RegionBranchTerminatorOpInterface,
)
from weft.ir.rewriting import walk
from weft.passes.membar.accesses import Accesses, Slice, slice_of
from weft.passes.membar.memory_effects import buffers_of

__all__ = ["BarrierInsertion"]

_Segment: TypeAlias = tuple[Block, Operation | None]
"""A block, and the operation before the segment; None for the start of the block."""


class BarrierInsertion(ABC):
    """Inserts the barriers of a module.

    Attributes:
        offsets: The shared memory of the function that is being visited.
    """

    offsets: FunctionOffsets

    def __init__(self) -> None:
        self._at_return: dict[str, Accesses] = {}

    @abstractmethod
    def visit(self, op: Operation, before: Accesses) -> Accesses:
        """Compute the accesses after an operation, and insert the barriers around it."""

    def run(self, offsets: ModuleOffsets) -> None:
        """Insert barriers in all functions, callees first."""
        for function in callees_first(list(offsets.functions)):
            self.offsets = offsets.functions[function]
            self._at_return[function.symbol] = self._run_function(function)

    def accesses_of(self, op: Operation, *, through_aliases: bool = True) -> Accesses:
        """Collect the accesses of an operation to buffers, or those of its callee.

        Args:
            op: The operation.
            through_aliases: Whether views and block arguments count, not only the results of
                allocations.
        """
        if isinstance(op, CallOpInterface):
            accesses = self._at_return.get(op.callee_name, Accesses())
            frame = self.offsets.scratch.get(op)
            return accesses.translate(0 if frame is None else frame.start)
        reads, writes = (
            frozenset(
                (slice_of(value, range_, buffer), op)
                for value in values
                for buffer in self.offsets.aliases.get(value, ())
                if through_aliases or buffer is value
                for range_ in self.offsets.buffers[buffer]
            )
            for values in buffers_of(op)
        )
        return Accesses(reads, writes)

    def scratch_of(self, op: Operation) -> Slice | None:
        """Find the scratch memory of an operation, None if it has none; a call has its callee's."""
        range_ = None if isinstance(op, CallOpInterface) else self.offsets.scratch.get(op)
        return None if range_ is None else Slice(range_)

    def _run_function(self, function: tt.FuncOp) -> Accesses:
        """Insert the barriers of a function; return its accesses since the last one."""
        at_start: dict[_Segment, Accesses] = {}
        at_end: dict[_Segment, Accesses] = {}
        worklist: deque[_Segment] = deque([(function.entry, None)])
        while worklist:
            segment = worklist.popleft()
            accesses, followers = self._run_segment(segment, at_start.get(segment, Accesses()))
            if at_end.get(segment) == accesses:
                continue
            at_end[segment] = accesses
            for follower in followers:
                at_start[follower] = at_start.get(follower, Accesses()) | accesses
                worklist.append(follower)
        return _join_at_returns(function, at_end)

    def _run_segment(
        self, segment: _Segment, accesses: Accesses
    ) -> tuple[Accesses, Iterable[_Segment]]:
        """Visit the operations of a segment; return the accesses at its end and what follows."""
        block, before = segment
        op = block.first_op if before is None else before.next_op
        while op is not None:
            accesses = self.visit(op, accesses)
            if op is block.last_op or _has_control_flow(op):
                return accesses, _followers(op)
            op = op.next_op
        return accesses, ()


def _has_control_flow(op: Operation) -> bool:
    return isinstance(op, RegionBranchOpInterface) and not isinstance(op, tt.ElementRegionOp)


def _followers(op: Operation) -> Iterable[_Segment]:
    """List the segmentes that control may enter after an operation."""
    if isinstance(op, BranchOpInterface):
        return [(block, None) for block in op.successors]
    if isinstance(op, ttg.WarpReturnOp):
        return []  # nothing comes after a partition
    if isinstance(op, ttg.WarpSpecializeOp):
        partitions = op.holder.parent
        assert partitions is not None
        return [(_entry(op.defaultRegion), None), (partitions, None)]
    if _has_control_flow(op):
        assert isinstance(op, RegionBranchOpInterface)
        source, edges = op, op.entry_edges()
    elif isinstance(op, RegionBranchTerminatorOpInterface):
        parent = op.parent_op()
        assert parent is not None
        source, edges = parent, op.region_edges()
    else:
        return []
    followers: list[_Segment] = []
    for edge in edges:
        if edge.region is not None:
            followers.append((_entry(edge.region), None))
        elif source.parent is not None:
            followers.append((source.parent, source))
    return followers


def _entry(region: Region) -> Block:
    entry = region.blocks.first
    assert entry is not None, "control enters a region without blocks"
    return entry


def _join_at_returns(function: tt.FuncOp, at_end: Mapping[_Segment, Accesses]) -> Accesses:
    """Join the accesses at the returns of a function."""
    accesses = Accesses()
    for op in walk(function):
        if not isinstance(op, tt.ReturnOp):
            continue
        # The segment with the return is the last one of its block.
        before: Operation | None = op.prev_op
        while before is not None and (op.parent, before) not in at_end:
            before = before.prev_op
        assert op.parent is not None
        accesses |= at_end.get((op.parent, before), Accesses())
    return accesses
