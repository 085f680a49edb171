"""Split the pointers of a loop into tensors that the loop does not change, and scalar offsets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from xdsl.ir import Attribute

from weft.analysis.integer_ranges import IntegerRange, IntegerRanges
from weft.ir import arith, scf, tt, types
from weft.ir.builtin import BlockArgument, ModuleOp, OpResult, SSAValue
from weft.ir.rewriting import constant_value, defining_op
from weft.passes.nvidia.share_pointer_offsets.expressions import (
    SHAPES,
    Advance,
    Apply,
    Expression,
    Number,
    add,
    extend,
    product,
    scalar_of,
    wide,
)
from weft.passes.pipelining.loop_queries import is_defined_outside

__all__ = ["ExactArithmetic", "PointerSplitter", "Split", "element_bytes"]


class ExactArithmetic:
    """The ranges of a module's integers, computed when they are first needed."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._ranges: IntegerRanges | None = None

    def is_exact(self, op: arith.AddIOp | arith.MulIOp) -> bool:
        """Check that a signed sum or product does not wrap around."""
        if types.element(op.results[0].type) == types.i64:
            return True  # addresses have 64 bits, too
        if self._ranges is None:
            self._ranges = IntegerRanges(self._module)
        a, b = (self._ranges.of(operand) for operand in op.operands)
        if a is None or b is None:
            return False
        limit = 1 << (a.width - 1)
        return all(-limit <= each < limit for each in _extremes(op, a, b))


def _extremes(op: arith.AddIOp | arith.MulIOp, a: IntegerRange, b: IntegerRange) -> Iterator[int]:
    """Yield the results for the least and the largest operands, computed exactly."""
    for x in (a.smin, a.smax):
        for y in (b.smin, b.smax):
            yield x + y if isinstance(op, arith.AddIOp) else x * y


class Split(Struct, frozen=True):
    """A tensor as the sum of a tensor that the loop does not change and a scalar.

    Attributes:
        invariant: The tensor, None for zero.
        offset: The scalar of 64 bits, None for zero.
    """

    invariant: Expression | None
    offset: Expression | None


class PointerSplitter:
    """Splits tensors of a loop.

    Attributes:
        steps: How much the values that were split advance in an iteration: pointers by bytes.
    """

    def __init__(self, loop: scf.ForOp, arithmetic: ExactArithmetic) -> None:
        self.steps: dict[SSAValue, Expression] = {}
        self._loop, self._arithmetic = loop, arithmetic

    def split_pointers(self, value: SSAValue) -> Split | None:
        """Split a tensor of pointers; None if that is not possible."""
        if is_defined_outside(value, self._loop):
            return Split(value, None)
        if isinstance(value, BlockArgument):
            return self._split_iter_arg(value)
        op = defining_op(value)
        if isinstance(op, SHAPES):
            split = self.split_pointers(op.src)
            if split is None or split.invariant is None:
                return None
            return Split(Apply(type(op), (split.invariant,), value.type, op), split.offset)
        if not isinstance(op, tt.AddPtrOp):
            return None
        pointers, offsets = self.split_pointers(op.ptr), self._split_offsets(op.offset)
        if pointers is None or offsets is None:
            return None
        invariant = pointers.invariant
        assert invariant is not None
        if offsets.invariant is not None:
            invariant = Apply(tt.AddPtrOp, (invariant, offsets.invariant), value.type)
        size = Number(element_bytes(value))
        offset = offsets.offset and product(offsets.offset, size)
        return Split(invariant, add(pointers.offset, offset, types.i64))

    def _split_iter_arg(self, value: BlockArgument) -> Split | None:
        """Split an iter_arg that advances alike in all elements."""
        loop, index = self._loop, value.index - 1
        if value.block is not loop.block or index < 0:
            return None
        if loop.results[index].first_use is not None:
            return None  # the pointers are needed after the loop
        total: Expression | None = None
        size = Number(element_bytes(value))
        current = loop.yielded_values[index]
        while (op := defining_op(current, tt.AddPtrOp)) is not None:
            step = scalar_of(op.offset)
            if step is None:
                return None
            total, current = add(total, product(step, size), types.i64), op.ptr
        if current is not value or total is None:
            return None
        self.steps[value] = total
        return Split(loop.init_args[index], Advance(value))

    def _split_offsets(self, value: SSAValue) -> Split | None:
        """Split a tensor of integers; None if that is not possible."""
        if is_defined_outside(value, self._loop) and scalar_of(value) is None:
            return Split(value, None)
        return self._split_wide(value)

    def _split_wide(self, value: SSAValue) -> Split | None:
        """Split a tensor of integers into parts of 64 bits; None if that is not possible."""
        type_ = types.with_element(value.type, types.i64)
        if (scalar := scalar_of(value)) is not None:
            return self._split_scalar(scalar, type_)
        if is_defined_outside(value, self._loop):
            return Split(value if type_ == value.type else extend(value, type_), None)
        op = defining_op(value)
        if isinstance(op, arith.ExtSIOp):
            return self._split_wide(op.operands[0])
        if isinstance(op, SHAPES):
            split = self._split_wide(op.src)
            if split is None or split.invariant is None:
                return split
            return Split(Apply(type(op), (split.invariant,), type_, op), split.offset)
        if not isinstance(op, arith.AddIOp | arith.MulIOp) or not self._arithmetic.is_exact(op):
            return None
        if isinstance(op, arith.MulIOp):
            return self._split_product(op, type_)
        a, b = map(self._split_wide, op.operands)
        if a is None or b is None:
            return None
        invariant = add(a.invariant, b.invariant, type_)
        return Split(invariant, add(a.offset, b.offset, types.i64))

    def _split_scalar(self, scalar: Expression, type_: Attribute) -> Split:
        """Split a splat: a scalar that grows linearly into its first value and its advance."""
        narrow = scalar.operands[0] if isinstance(scalar, Apply) else scalar
        assert not isinstance(narrow, Apply)
        linear = None if isinstance(narrow, Number) else self._linear(narrow)
        if linear is None or isinstance(narrow, Number | Advance):
            return Split(None, scalar)
        first, step = linear
        self.steps[narrow] = Number(step)
        return Split(Apply(tt.SplatOp, (first,), type_), Advance(narrow))

    def _linear(self, value: Expression) -> tuple[Expression, int] | None:
        """Find the first value of a scalar, in 64 bits, and its growth in an iteration.

        Returns:
            None if the scalar does not depend on the induction variable, or not linearly.
        """
        loop = self._loop
        if value is loop.induction_variable:
            step = constant_value(loop.step)
            return (wide(loop.lower_bound), step) if isinstance(step, int) else None
        op = value.op if isinstance(value, OpResult) else None
        if isinstance(op, arith.ExtSIOp):
            return self._linear(op.operands[0])
        if not isinstance(op, arith.AddIOp | arith.MulIOp) or not self._arithmetic.is_exact(op):
            return None
        for inner, other in (op.operands, reversed(op.operands)):
            number = constant_value(other)
            if not is_defined_outside(other, loop) or (linear := self._linear(inner)) is None:
                continue
            first, step = linear
            if isinstance(op, arith.AddIOp):
                return add(first, wide(other), types.i64) or first, step
            if isinstance(number, int):
                return product(first, Number(number)), step * number
        return None

    def _split_product(self, op: arith.MulIOp, type_: Attribute) -> Split | None:
        """Split the product of a tensor and a factor that the loop does not change."""
        for tensor, factor in (op.operands, reversed(op.operands)):
            scalar, split = scalar_of(factor), self._split_wide(tensor)
            if scalar is None or split is None or not is_defined_outside(factor, self._loop):
                continue
            wide = factor if factor.type == type_ else extend(factor, type_)
            return Split(
                split.invariant and Apply(arith.MulIOp, (split.invariant, wide), type_),
                split.offset and product(split.offset, scalar),
            )
        return None


def element_bytes(pointers: SSAValue) -> int:
    """Count the bytes of what a pointer, or each pointer of a tensor, points to."""
    pointer = types.element(pointers.type)
    assert types.is_pointer(pointer)
    return max(1, types.bit_width(pointer.pointee) // 8)
