"""Queries on loops that are pipelined."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from weft.ir import attributes, scf, tt, ttg
from weft.ir.builtin import Block, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.loop_attributes import NUM_STAGES
from weft.ir.rewriting import ancestors, walk_inner_first
from weft.passes.rewrite.nesting import ancestor_in_block

__all__ = [
    "definition_and_distance",
    "enclosing_loop",
    "is_defined_outside",
    "is_inside",
    "is_memdesc_view",
    "is_outer_loop",
    "is_safe_to_pipeline",
    "loops_inner_first",
    "nested_operands",
    "num_stages_of",
    "top_level_users",
    "users",
    "yields_block_argument",
]

_MEMDESC_VIEWS = (
    ttg.MemDescIndexOp,
    ttg.MemDescReinterpretOp,
    ttg.MemDescReshapeOp,
    ttg.MemDescSubsliceOp,
    ttg.MemDescTransOp,
)


def loops_inner_first(root: Operation) -> list[scf.ForOp]:
    """List the loops inside an operation, inner loops before outer ones."""
    return [op for op in walk_inner_first(root) if type(op) is scf.ForOp]


def num_stages_of(loop: scf.ForOp, default: int) -> int:
    """Read the number of stages that a loop asks for (`tl.range(num_stages=…)`)."""
    number = attributes.number(loop.attributes.get(NUM_STAGES))
    return number if isinstance(number, int) else default


def yields_block_argument(loop: scf.ForOp) -> bool:
    """Check whether a loop yields a block argument: a dependence over more than one iteration.

    Triton counts arguments of other blocks, too.
    """
    return any(not isinstance(value, OpResult) for value in loop.yielded_values)


def is_outer_loop(loop: scf.ForOp) -> bool:
    """Check whether the body of a loop contains a loop, other than inside a conditional."""
    return any(isinstance(op, scf.ForOp | scf.WhileOp) for op in loop.block.ops)


def is_safe_to_pipeline(loop: scf.ForOp) -> bool:
    """Check whether the iterations of a loop may overlap."""
    if yields_block_argument(loop) or is_outer_loop(loop):
        return False
    # These operations synchronize or show the order of iterations.
    return not any(isinstance(op, ttg.BarrierOp | tt.AssertOp | tt.PrintOp) for op in loop.walk())


def nested_operands(op: Operation) -> list[SSAValue]:
    """List the operands of an operation and of everything inside, each once, inner ones first."""
    if not op.regions:
        return list(dict.fromkeys(op.operands))
    return list(
        dict.fromkeys(operand for inner in walk_inner_first(op) for operand in inner.operands)
    )


def users(op: Operation) -> Iterator[Operation]:
    """Iterate over the users of the results of an operation, once for each use."""
    for result in op.results:
        for use in result.uses:
            yield use.operation


def enclosing_loop(op: Operation) -> scf.ForOp | None:
    """Find the innermost `scf.for` around an operation."""
    return next((outer for outer in ancestors(op) if isinstance(outer, scf.ForOp)), None)


def is_inside(op: Operation, loop: scf.ForOp) -> bool:
    """Check whether an operation is in the body of a loop, or in a region there."""
    return ancestor_in_block(op, loop.block) is not None


def is_defined_outside(value: SSAValue, loop: scf.ForOp) -> bool:
    """Check whether a value is defined outside of a loop."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is loop:
            return False
        block = None if parent is None else parent.parent
    return True


def definition_and_distance(loop: scf.ForOp, value: SSAValue) -> tuple[OpResult | None, int]:
    """Find the result that defines a value of a loop, and in which iteration.

    Returns:
        The result, and the number of iterations between its definition and the value: 0 for a
        result, 1 for an iter_arg that is yielded as this result. (None, 0) for the induction
        variable, block arguments of other operations, and iter_args that only yield each other.
    """
    distance = 0
    visited: set[SSAValue] = set()
    while isinstance(value, BlockArgument):
        if value.block is not loop.block or value.index == 0:
            return None, 0
        distance += 1
        value = loop.yielded_values[value.index - 1]
        if value in visited:
            return None, 0
        visited.add(value)
    return (value, distance) if isinstance(value, OpResult) else (None, 0)


def is_memdesc_view(op: Operation) -> bool:
    """Check whether an operation computes a view of a buffer."""
    return isinstance(op, _MEMDESC_VIEWS)


def top_level_users(
    op: Operation, loop: scf.ForOp, counts: Callable[[Operation], bool] = lambda _: True
) -> list[Operation]:
    """List the operations of a loop's body that use the results of an operation.

    Views of buffers do not count as uses, their users do. A value that is yielded is used by the
    users of the iter_arg. A user inside of a region counts as the operation with the region.

    Args:
        op: The operation.
        loop: The loop.
        counts: Whether a user counts.
    """
    users: dict[Operation, None] = {}
    worklist = [use for result in op.results for use in result.uses]
    visited: set[Operation] = set()
    while worklist:
        use = worklist.pop()
        user = use.operation
        if isinstance(user, scf.YieldOp) and user.parent_op() is loop:
            worklist += loop.iter_args[use.index].uses
        elif is_memdesc_view(user):
            if user not in visited:
                visited.add(user)
                worklist += [next_use for result in user.results for next_use in result.uses]
        elif counts(user):
            ancestor = ancestor_in_block(user, loop.block)
            if ancestor is not None:
                users[ancestor] = None
    return list(users)
