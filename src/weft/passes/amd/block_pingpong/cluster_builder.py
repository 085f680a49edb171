"""Order the operations of a loop's body one after another.

clusters = ClusterBuilder(last_load, location)
clusters.append(local_load)           moves the operation to directly after `last_load`
clusters.pull(local_store)            moves it to after that, with what it depends on
clusters.end_cluster()                creates a barrier after that
"""

from __future__ import annotations

from weft.analysis.slices import backward_slice
from weft.ir.builtin import Operation
from weft.ir.locations import LocationAttr
from weft.passes.amd.block_pingpong.instructions import Instructions

__all__ = ["ClusterBuilder"]


class ClusterBuilder:
    """Appends operations to a growing sequence in a block.

    Args:
        last: The operation that the sequence starts with.
        location: The source location of new operations.

    Attributes:
        create: Creates operations to append.
    """

    __slots__ = ("_last", "create")

    def __init__(self, last: Operation, location: LocationAttr) -> None:
        self._last = last
        self.create = Instructions(location)

    def append(self, *ops: Operation) -> None:
        """Move operations, or insert detached ones, at the end of the sequence."""
        for op in ops:
            if op is self._last:
                continue
            if op.parent is not None:
                op.detach()
            block = self._last.parent
            assert block is not None
            block.insert_op_after(op, self._last)
            self._last = op

    def pull(self, op: Operation) -> None:
        """Move an operation to the end of the sequence.

        It moves up with the operations that it depends on. It moves down alone, unless a user
        precedes the end of the sequence.
        """
        following = _operations_after(self._last)
        if op in following:
            slice_ = backward_slice(
                op,
                keep=lambda other: other in following,
                inclusive=True,
                omit_block_arguments=True,
                omit_uses_from_above=False,
            )
            self.append(*slice_)
        elif not self._has_user_before_end(op, following):
            self.append(op)

    def _has_user_before_end(self, op: Operation, following: set[Operation]) -> bool:
        return any(
            use.operation is not self._last
            and use.operation.parent is op.parent
            and use.operation not in following
            for result in op.results
            for use in result.uses
        )

    def append_with_priority(self, op: Operation) -> None:
        """Append an operation that runs with a higher priority than the other warps."""
        self.append(self.create.priority(1), op, self.create.priority(0))

    def fix_order(self) -> None:
        """Keep LLVM from moving instructions across the end of the sequence."""
        self.append(self.create.scheduling_barrier())

    def end_cluster(self) -> None:
        """Append a barrier that LLVM moves no instruction across."""
        self.append(self.create.barrier())
        self.fix_order()


def _operations_after(op: Operation) -> set[Operation]:
    following: set[Operation] = set()
    other = op.next_op
    while other is not None:
        following.add(other)
        other = other.next_op
    return following
