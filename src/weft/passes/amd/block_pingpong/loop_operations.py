"""The memory operations and dots of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from weft.ir import arith, scf, tt, ttg
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import defining_op, walk_inner_first

__all__ = ["LoopOperations"]

_Op = TypeVar("_Op", bound=Operation)


class LoopOperations(Struct):
    """The operations of a loop that ping-pong scheduling moves, each list in program order.

    Attributes:
        loop: The loop.
        loads: Loads from global memory to registers.
        local_loads: Loads from shared memory of earlier iterations: from buffers in iter_args.
        local_stores: Stores to shared memory.
        copies: Asynchronous copies to shared memory.
        commits: Commits of groups of copies.
        waits: Waits for groups of copies.
        dots: Dots.
        scaled_dots: Dots with scales.
    """

    loop: scf.ForOp
    loads: list[tt.LoadOp]
    local_loads: list[ttg.LocalLoadOp]
    local_stores: list[ttg.LocalStoreOp]
    copies: list[ttg.AsyncCopyGlobalToLocalOp]
    commits: list[ttg.AsyncCommitGroupOp]
    waits: list[ttg.AsyncWaitOp]
    dots: list[tt.DotOp]
    scaled_dots: list[tt.DotScaledOp]

    @classmethod
    def collect(cls, loop: scf.ForOp) -> LoopOperations:
        """Collect the operations of a loop, also inside conditionals and inner loops."""
        ops = list(walk_inner_first(loop))
        return cls(
            loop,
            loads=_of_class(tt.LoadOp, ops),
            local_loads=[op for op in _of_class(ttg.LocalLoadOp, ops) if op.src in loop.iter_args],
            local_stores=_of_class(ttg.LocalStoreOp, ops),
            copies=_of_class(ttg.AsyncCopyGlobalToLocalOp, ops),
            commits=_of_class(ttg.AsyncCommitGroupOp, ops),
            waits=_of_class(ttg.AsyncWaitOp, ops),
            dots=_of_class(tt.DotOp, ops),
            scaled_dots=_of_class(tt.DotScaledOp, ops),
        )

    @property
    def num_dots(self) -> int:
        """How many dots of either kind the loop has."""
        return len(self.dots) + len(self.scaled_dots)

    def has_pipelined_operands(self) -> bool:
        """Check whether two loads and two local loads can feed a dot."""
        return len(self.copies or self.loads) >= 2 and len(self.local_loads) >= 2

    def are_in_body(self, ops: Iterable[Operation]) -> bool:
        """Check whether operations are in the body itself, and not nested deeper."""
        return all(op.parent is self.loop.block for op in ops)

    def keep_only_operands_of_dot(self) -> bool:
        """Remove the memory operations that do not produce the operands of the only dot.

        Returns:
            Whether the others are few enough to be ignored, and two loads and two local loads
            in the body remain.
        """
        dot = self.dots[0]
        local_loads = _closest(ttg.LocalLoadOp, (dot.a, dot.b))
        buffers = _closest(ttg.MemDescIndexOp, [op.src for op in local_loads])
        local_stores = {
            use.operation
            for buffer in buffers
            for use in buffer.results[0].uses
            if isinstance(use.operation, ttg.LocalStoreOp)
        }
        loads = _closest(tt.LoadOp, [op.operands[0] for op in local_stores])
        skip_branches = _is_persistent(self.loop)
        for ops, of_dot in (
            (self.loads, loads),
            (self.local_loads, local_loads),
            (self.local_stores, local_stores),
        ):
            others = [op for op in ops if op not in of_dot]
            if _count_per_iteration(self.loop, others, skip_branches):
                return False
        self.loads = [op for op in self.loads if op in loads]
        self.local_loads = [op for op in self.local_loads if op in local_loads]
        self.local_stores = [op for op in self.local_stores if op in local_stores]
        operations = (dot, *self.loads, *self.local_loads, *self.local_stores)
        return len(self.loads) == len(self.local_loads) == 2 and self.are_in_body(operations)


def _of_class(cls: type[_Op], ops: Iterable[Operation]) -> list[_Op]:
    return [op for op in ops if isinstance(op, cls)]


def _closest(cls: type[_Op], values: Sequence[SSAValue]) -> set[_Op]:
    """Find the first operation of a class on each use-def chain that ends in one of some values.

    The chains go through iter_args to the values that the loop yields for the next iteration.
    """
    results: set[_Op] = set()
    for root in values:
        visited: set[Operation] = set()
        worklist = [root]
        while worklist:
            value = worklist.pop()
            if isinstance(value, BlockArgument):
                # A cycle of iter_args passes no operation: end it here.
                yielded = _yielded(value)
                arguments = {value}
                while isinstance(yielded, BlockArgument) and yielded not in arguments:
                    arguments.add(yielded)
                    yielded = _yielded(yielded)
                if not isinstance(yielded, OpResult):
                    continue
                value = yielded
            assert isinstance(value, OpResult)
            op = value.op
            if op in visited:
                continue
            visited.add(op)
            if isinstance(op, cls):
                results.add(op)
            else:
                worklist.extend(op.operands)
    return results


def _yielded(argument: BlockArgument) -> SSAValue | None:
    """Find the value of an iter_arg in the next iteration; None for other block arguments."""
    loop = argument.block.parent_op()
    if not isinstance(loop, scf.ForOp):
        return None
    index = loop.iter_arg_index(argument)
    return None if index is None else loop.yielded_values[index]


def _is_persistent(loop: scf.ForOp) -> bool:
    """Check for a matmul that computes several tiles in one loop.

    Such a loop is: `if` a tile begins, dot, `if` the tile ends; both conditions are equalities.
    The branches of the conditionals are rarely taken.
    """
    kinds: list[type[Operation]] = []
    for op in loop.block.ops:
        if isinstance(op, tt.DotOp):
            kinds.append(tt.DotOp)
        elif isinstance(op, scf.IfOp):
            comparison = defining_op(op.operands[0])
            if not isinstance(comparison, arith.CmpIOp):
                return False
            if CmpIPredicate.of(comparison.predicate) is not CmpIPredicate.EQ:
                return False
            kinds.append(scf.IfOp)
    return kinds == [scf.IfOp, tt.DotOp, scf.IfOp]


def _count_per_iteration(loop: scf.ForOp, ops: Sequence[Operation], skip_branches: bool) -> int:
    """Estimate how many operations of one class run in an iteration.

    Args:
        loop: The loop.
        ops: Operations inside of the loop, of one class.
        skip_branches: Whether the `then` branches of conditionals are assumed not to run.
    """
    count = 0
    conditionals: dict[scf.IfOp, None] = {}
    others: set[Operation | None] = set()
    for op in ops:
        parent = op.parent_op()
        if parent is loop:
            count += 1
        elif isinstance(parent, scf.IfOp):
            conditionals[parent] = None
        else:
            others.add(parent)
    for conditional in conditionals:
        # All operations of the class in a branch count, those that feed the dot too.
        sizes = [
            sum(isinstance(op, type(ops[0])) for block in region.blocks for op in block.ops)
            for region in conditional.regions
        ]
        count += sizes[1] if skip_branches else max(sizes)
    return count + len(others)
