"""Bounds of loops: what computes them, whether that can stand in front, and how often a loop runs.

for i … { b = i * 2; for j in range(b) … }      b follows from i: not in front of its loop
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from weft.analysis.slices import program_order
from weft.ir import arith, attributes, scf, tt, types
from weft.ir.builtin import Attribute, BlockArgument, Operation, OpResult, SSAValue
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import Builder

__all__ = ["InnerLoop", "Numbers", "hoist", "is_defined_before", "operations_for"]


@dataclass(frozen=True, slots=True)
class InnerLoop:
    """A loop to be fused.

    computes: what its bounds are computed by from the outer loop's counter, in order.
    varies: whether its bounds are others each time the outer loop comes to it.
    """

    op: scf.ForOp
    computes: tuple[Operation, ...] = ()
    varies: bool = False


def is_defined_before(value: SSAValue, place: Operation) -> bool:
    """Tell whether a value exists when an operation is reached, from outside of it."""
    if isinstance(value, OpResult):
        block, maker = value.op.parent, value.op
    else:
        assert isinstance(value, BlockArgument)
        block, maker = value.block, None
    inner: Operation | None = place
    while inner is not None and inner.parent is not block:
        inner = inner.parent_op()
    if inner is None:
        return False
    return maker is None or (maker is not inner and maker.is_before_in_block(inner))


def _is_scalar(type_: Attribute) -> bool:
    return not types.is_tensor(type_) and (
        types.is_integer(type_)
        or types.is_float(type_)
        or types.is_pointer(type_)
        or type_ == types.index
    )


def _is_cheap(op: Operation) -> bool:
    """Tell whether an operation may be computed elsewhere: on scalars, writing nothing."""
    return get_effects(op) in (Effect.NONE, Effect.READ) and all(
        _is_scalar(value.type) for value in (*op.operands, *op.results)
    )


def operations_for(
    values: Iterable[SSAValue], outer: scf.ForOp, given: Callable[[BlockArgument], bool]
) -> list[Operation] | None:
    """Return the operations inside a loop that values are computed by, in order.

    Args: given: which block arguments need not be computed.
    Returns: None if some cannot be computed in front of the loop.
    """
    found: dict[Operation, None] = {}
    todo = deque(values)
    while todo:
        value = todo.popleft()
        if is_defined_before(value, outer):
            continue
        if isinstance(value, BlockArgument):
            if not given(value):
                return None
            continue
        assert isinstance(value, OpResult)
        if value.op in found:
            continue
        if not _is_cheap(value.op):
            return None
        found[value.op] = None
        todo += value.op.operands
    return program_order(found)


def of_function(argument: BlockArgument) -> bool:
    """Tell whether a block argument is one of a function."""
    return isinstance(argument.block.parent_op(), tt.FuncOp)


def hoist(ops: Sequence[Operation], before: Operation) -> None:
    """Move operations, in their order, to right before another one."""
    for op in ops:
        op.detach()
        block = before.parent
        assert block is not None
        block.insert_op_before(op, before)


class Numbers:
    """Arithmetic on the counters of loops, in integers of one type."""

    def __init__(self, builder: Builder, type_: Attribute) -> None:
        self.builder = builder
        self.type = type_

    def constant(self, number: int) -> SSAValue:
        """Return a constant."""
        value = {"value": attributes.integer(number, self.type)}
        return self.builder.create(arith.ConstantOp, (), (self.type,), value).results[0]

    def value(self, cls: type[arith.AddIOp | arith.SubIOp | arith.MulIOp | arith.MaxSIOp],
              a: SSAValue, b: SSAValue) -> SSAValue:  # fmt: skip
        """Return a sum, difference, product or maximum."""
        return self.builder.value(cls, [a, b], a.type)

    def rounds(self, bounds: Sequence[SSAValue]) -> SSAValue:
        """Return how often a loop with these bounds runs; it may be less than 0 for never."""
        low, high, step = bounds
        return self.builder.value(
            arith.CeilDivSIOp, [self.value(arith.SubIOp, high, low), step], low.type
        )  # fmt: skip

    def cast(self, value: SSAValue) -> SSAValue:
        """Return a number in the common type."""
        if value.type == self.type:
            return value
        if types.index in (value.type, self.type):
            return self.builder.value(arith.IndexCastOp, [value], self.type)
        narrower = types.bit_width(value.type) > types.bit_width(self.type)
        cls = arith.TruncIOp if narrower else arith.ExtSIOp
        return self.builder.value(cls, [value], self.type)

    def at_least_one(self, rounds: SSAValue) -> SSAValue:
        """Return a number of rounds, 1 for none."""
        return self.value(arith.MaxSIOp, self.constant(1), rounds)
