"""Loop bounds: the operations that compute them, whether these can be hoisted, and trip counts.

for i … { b = i * 2; for j in range(b) … }      b depends on i: it cannot be hoisted out of the loop
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from weft.analysis.slices import program_order
from weft.ir import arith, attributes, scf, tt, types
from weft.ir.builtin import Attribute, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import Builder

__all__ = [
    "InnerLoop",
    "LoopArithmetic",
    "is_defined_before",
    "is_function_argument",
    "move_before",
    "operations_computing",
]


class InnerLoop(Struct, frozen=True):
    """An inner loop to fuse.

    Attributes:
        op: The loop.
        bound_ops: The operations that compute its bounds from the outer induction variable.
        is_variable: Whether its bounds depend on the outer induction variable.
    """

    op: scf.ForOp
    bound_ops: tuple[Operation, ...] = ()
    is_variable: bool = False


def is_defined_before(value: SSAValue, op: Operation) -> bool:
    """Check whether a value is available right before an operation."""
    if isinstance(value, OpResult):
        block, producer = value.op.parent, value.op
    else:
        assert isinstance(value, BlockArgument)
        block, producer = value.block, None
    ancestor: Operation | None = op
    while ancestor is not None and ancestor.parent is not block:
        ancestor = ancestor.parent_op()
    if ancestor is None:
        return False
    return producer is None or (producer is not ancestor and producer.is_before_in_block(ancestor))


def _is_scalar(type_: Attribute) -> bool:
    return not types.is_tensor(type_) and (
        types.is_integer(type_)
        or types.is_float(type_)
        or types.is_pointer(type_)
        or type_ == types.index
    )


def _is_cheap(op: Operation) -> bool:
    """Check whether an operation may be hoisted or duplicated: only scalars, no writes."""
    return get_effects(op) in (Effect.NONE, Effect.READ) and all(
        _is_scalar(value.type) for value in (*op.operands, *op.results)
    )


def operations_computing(
    values: Iterable[SSAValue], outer: scf.ForOp, is_available: Callable[[BlockArgument], bool]
) -> list[Operation] | None:
    """List the operations inside a loop that compute values, in program order.

    Args:
        values: The values.
        outer: The loop.
        is_available: Which block arguments the operations may use.

    Returns:
        The operations, None if they cannot be hoisted.
    """
    ops: dict[Operation, None] = {}
    worklist = deque(values)
    while worklist:
        value = worklist.popleft()
        if is_defined_before(value, outer):
            continue
        if isinstance(value, BlockArgument):
            if not is_available(value):
                return None
            continue
        assert isinstance(value, OpResult)
        if value.op in ops:
            continue
        if not _is_cheap(value.op):
            return None
        ops[value.op] = None
        worklist += value.op.operands
    return program_order(ops)


def is_function_argument(argument: BlockArgument) -> bool:
    """Check whether a block argument is an argument of a function."""
    return isinstance(argument.block.parent_op(), tt.FuncOp)


def move_before(ops: Sequence[Operation], other: Operation) -> None:
    """Move operations, in order, right before another one."""
    for op in ops:
        op.detach()
        block = other.parent
        assert block is not None
        block.insert_op_before(op, other)


class LoopArithmetic:
    """Builds integer arithmetic on induction variables and trip counts.

    Args:
        builder: Inserts the operations.
        type_: The integer type that all trip counts are cast to.
    """

    def __init__(self, builder: Builder, type_: Attribute) -> None:
        self.builder = builder
        self.type = type_

    def constant(self, number: int) -> SSAValue:
        """Create a constant."""
        value = {"value": attributes.integer(number, self.type)}
        return self.builder.create(arith.ConstantOp, (), (self.type,), value).results[0]

    def value(self, cls: type[arith.AddIOp | arith.SubIOp | arith.MulIOp | arith.MaxSIOp],
              a: SSAValue, b: SSAValue) -> SSAValue:  # fmt: skip
        """Create a binary operation."""
        return self.builder.value(cls, [a, b], a.type)

    def trip_count(self, bounds: Sequence[SSAValue]) -> SSAValue:
        """Compute (upper - lower) ceildiv step; it may be negative for a loop that does not run."""
        low, high, step = bounds
        return self.builder.value(
            arith.CeilDivSIOp, [self.value(arith.SubIOp, high, low), step], low.type
        )  # fmt: skip

    def cast(self, value: SSAValue) -> SSAValue:
        """Cast a number to the common type."""
        if value.type == self.type:
            return value
        if types.index in (value.type, self.type):
            return self.builder.value(arith.IndexCastOp, [value], self.type)
        narrower = types.bit_width(value.type) > types.bit_width(self.type)
        cls = arith.TruncIOp if narrower else arith.ExtSIOp
        return self.builder.value(cls, [value], self.type)

    def at_least_one(self, trip_count: SSAValue) -> SSAValue:
        """Compute max(1, trip count): a fused inner loop takes at least one iteration."""
        return self.value(arith.MaxSIOp, self.constant(1), trip_count)
