"""Find the operation of a loop that sets an accumulator to zero.

    %a = arith.select %is_last, %zeros, %d        %a = scf.if %is_last {
                                                    scf.yield %zeros
                                                  } else {
                                                    scf.yield %d
                                                  }

The MMA that starts the next sum can ignore its accumulator instead: then %a becomes %d.
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.constants import constant_attribute
from weft.ir.rewriting import defining_op, replace

__all__ = ["Reset", "find_reset", "is_only_accumulator", "is_zero"]


def is_zero(value: SSAValue) -> bool:
    """Check whether a value is a constant zero, or a tensor of zeros."""
    return attributes.number(constant_attribute(value)) == 0


class Reset(Struct, frozen=True, eq=False):
    """A select or conditional that sets an accumulator to zero.

    Attributes:
        op: The operation.
        condition: Its condition.
        is_zero_if_true: Whether the accumulator is zero if the condition is true.
        other: The accumulator otherwise.
        index: The index of the result.
    """

    op: arith.SelectOp | scf.IfOp
    condition: SSAValue
    is_zero_if_true: bool
    other: SSAValue
    index: int

    def remove(self) -> None:
        """Leave the accumulator as it is."""
        if isinstance(self.op, arith.SelectOp):
            replace(self.op, [self.other])
        else:
            region = self.op.regions[0 if self.is_zero_if_true else 1]
            terminator = region.block.last_op
            assert terminator is not None
            terminator.operands[self.index] = self.other


def find_reset(accumulator: SSAValue, loop: scf.ForOp) -> tuple[bool, Reset | None]:
    """Find out where the accumulator of an iteration becomes zero.

    Returns:
        Whether it is zero in the first iteration, and the operation that sets it to zero.
    """
    starts_at_zero = False
    value = accumulator
    if isinstance(value, BlockArgument) and value.block is loop.block:
        if value.index == 0:
            return False, None
        starts_at_zero = is_zero(loop.init_args[value.index - 1])
        value = loop.yielded_values[value.index - 1]
    op = defining_op(value)
    if isinstance(op, arith.SelectOp):
        if op.condition.type != types.i1:
            return starts_at_zero, None
        return starts_at_zero, _reset_of(op, op.condition, op.true_value, op.false_value, 0)
    if isinstance(op, scf.IfOp):
        assert isinstance(value, OpResult)
        values = [_yielded(op, branch, value.index) for branch in range(2)]
        reset = _reset_of(op, op.condition, values[0], values[1], value.index)
        if any(_is_computed_in(branch_value, op) for branch_value in values):
            return starts_at_zero, None
        return starts_at_zero, reset
    return starts_at_zero, None


def _reset_of(
    op: arith.SelectOp | scf.IfOp,
    condition: SSAValue,
    if_true: SSAValue,
    if_false: SSAValue,
    index: int,
) -> Reset | None:
    if is_zero(if_true):
        return Reset(op, condition, True, if_false, index)
    if is_zero(if_false):
        return Reset(op, condition, False, if_true, index)
    return None


def _yielded(op: scf.IfOp, branch: int, index: int) -> SSAValue:
    terminator = op.regions[branch].block.last_op
    assert terminator is not None
    return terminator.operands[index]


def _is_computed_in(value: SSAValue, op: Operation) -> bool:
    """Check whether a value is defined directly in a branch of a conditional."""
    producer = defining_op(value)
    return producer is not None and producer.parent_op() is op


def is_only_accumulator(accumulator: SSAValue, reset: Reset, loop: scf.ForOp) -> bool:
    """Check whether only an MMA reads a value that is zero after a reset.

    Others would read the accumulator as it was before. Triton does not check this.
    """
    values: list[SSAValue] = [accumulator]
    if isinstance(accumulator, BlockArgument):
        values.append(loop.yielded_values[accumulator.index - 1])
    return all(value.has_one_use() for value in values) and reset.op.parent is loop.block
