"""Advance one offset per loop instead of every pointer of its copies (share-pointer-offsets).

Before:  scf.for … iter_args(%p = %p0) {          After:  scf.for … iter_args(%o = 0 : i64) {
           %q = tt.addptr %p, splat(64)                     %n = arith.addi %o, 128
           ttg.async_copy_global_to_local %q, %b            %q = tt.addptr bytes of %p0, splat(%n)
           scf.yield %q                                     ttg.async_copy_global_to_local %q, %b
         }                                                  scf.yield %n
                                                          }

A thread copies by several pointers, and all of them advance alike. If each is advanced, ptxas keeps
a pair of registers per pointer that changes in every iteration, and moves many of them to other
pairs for the copies. With one offset, the pointers of the first iteration stay in registers, and an
addition writes each address where its copy reads it. The offset counts bytes: a shift for the size
of elements would delay the additions until the dots are issued.

Loops that compute pointers anew, as block pointers do, multiply by the stride for each of them.
Here they multiply once:

    %i = splat(%k) + %range                     %o = %k * %stride * 2              in the loop
    %q = tt.addptr %p, %i * splat(%stride)      %q = (%p + %range * splat(%stride)) + bytes %o

A pointer is split into a tensor that the loop does not change and a scalar offset of 64 bits.
Sums and products of 64 bits split exactly, modulo 2^64; narrower ones do not, since they are
extended after they wrap around. So a narrower offset must be a splat.

Alignment cannot be computed through the new offsets. So copies without `contiguity`, from which
their width follows, get it first. Keeps values. `weft.compiler.machine_code` runs the pass on a
copy of the final TTGIR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec import Struct
from xdsl.ir import Attribute

from weft.analysis.axis_info import axis_info
from weft.ir import arith, attributes, scf, tt, ttg, types
from weft.ir.builtin import BlockArgument, ModuleOp, SSAValue
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, constant_value, defining_op, erase, used
from weft.passes.pipelining.loop_queries import is_defined_outside, loops_inner_first
from weft.passes.pipelining.loop_signature import add_iter_args

__all__ = ["SharePointerOffsets", "has_copies_in_loops"]

_MAX_BYTES = 16  # of a copy
_SHAPES = (tt.BroadcastOp, tt.ExpandDimsOp)  # they repeat elements, and keep their values
_PURE = (*_SHAPES, tt.AddPtrOp, tt.SplatOp, arith.AddIOp, arith.MulIOp, arith.ExtSIOp)


class SharePointerOffsets(Struct, frozen=True):
    """Split the pointers of asynchronous copies in loops into invariant pointers and an offset."""

    name: ClassVar[str] = "share-pointer-offsets"

    def run(self, module: ModuleOp) -> None:
        """Rewrite the loops in place."""
        loops = loops_inner_first(module)
        _record_widths(module, [copy for loop in loops for copy in _copies(loop)])
        for loop in loops:
            _rewrite(loop)


def has_copies_in_loops(module: ModuleOp) -> bool:
    """Check whether any loop copies from global to shared memory by pointers."""
    return any(True for loop in loops_inner_first(module) for _ in _copies(loop))


def _copies(loop: scf.ForOp) -> Iterator[ttg.AsyncCopyGlobalToLocalOp]:
    return (op for op in loop.block.ops if isinstance(op, ttg.AsyncCopyGlobalToLocalOp))


def _record_widths(module: ModuleOp, copies: Sequence[ttg.AsyncCopyGlobalToLocalOp]) -> None:
    """Set how many elements a thread may copy at once, where that is not known yet."""
    unknown = [copy for copy in copies if attributes.number(copy.contiguity) == 1]
    if not unknown:
        return
    info = axis_info(module)
    for copy in unknown:
        most = _MAX_BYTES // _element_bytes(copy.src)
        width = max(1, min(most, info.contiguity(copy.src)))
        copy.properties["contiguity"] = attributes.integer(width, types.i32)


class _Number(Struct, frozen=True):
    """An integer of 64 bits."""

    value: int


class _Advance(Struct, frozen=True):
    """What an iter_arg advanced by since the first iteration, a scalar of 64 bits."""

    iter_arg: BlockArgument


class _Apply(Struct, frozen=True):
    """An operation that does not exist yet.

    Attributes:
        cls: Its class.
        operands: Its operands.
        type: The type of its result.
        like: An operation with its properties, if it has any.
    """

    cls: type[Op]
    operands: tuple[_Expression, ...]
    type: Attribute
    like: Op | None = None


_Expression = SSAValue | _Number | _Advance | _Apply


class _Split(Struct, frozen=True):
    """A tensor as the sum of a tensor that the loop does not change and a scalar.

    Attributes:
        invariant: The tensor, None for zero.
        offset: The scalar of 64 bits, None for zero.
    """

    invariant: _Expression | None
    offset: _Expression | None


def _rewrite(loop: scf.ForOp) -> None:
    splitter = _Splitter(loop)
    splits = {copy: splitter.split_pointers(copy.src) for copy in _copies(loop)}
    moving = {copy: each for copy, each in splits.items() if each and each.offset is not None}
    if not moving:
        return
    used_advances = {each: None for split in moving.values() for each in _advances(split.offset)}
    loop, values = _add_offsets(loop, {each: splitter.advances[each] for each in used_advances})
    for copy, split in moving.items():
        assert split.invariant is not None
        assert split.offset is not None
        pointers = _create(Builder().before(loop), split.invariant, {})
        builder = Builder().before(copy)
        offset = _create(builder, split.offset, values)
        copy.operands[0] = _add_bytes(builder, pointers, offset)
    _erase_unused(loop)


def _add_bytes(builder: Builder, pointers: SSAValue, offset: SSAValue) -> SSAValue:
    """Add a scalar number of bytes to pointers."""
    type_ = pointers.type
    to_bytes = types.with_element(type_, types.pointer(types.i8))
    splat = builder.value(tt.SplatOp, [offset], types.with_element(type_, types.i64))
    of_bytes = builder.value(tt.BitcastOp, [pointers], to_bytes)
    return builder.value(
        tt.BitcastOp, [builder.value(tt.AddPtrOp, [of_bytes, splat], to_bytes)], type_
    )


class _Splitter:
    """Splits tensors of a loop.

    Attributes:
        advances: How much the iter_args that were split advance in an iteration.
    """

    def __init__(self, loop: scf.ForOp) -> None:
        self.advances: dict[_Advance, _Expression] = {}
        self._loop = loop

    def split_pointers(self, value: SSAValue) -> _Split | None:
        """Split a tensor of pointers; None if that is not possible."""
        if is_defined_outside(value, self._loop):
            return _Split(value, None)
        if isinstance(value, BlockArgument):
            return self._split_iter_arg(value)
        op = defining_op(value, tt.AddPtrOp)
        if op is None:
            return None
        pointers, offsets = self.split_pointers(op.ptr), self._split_offsets(op.offset)
        if pointers is None or offsets is None:
            return None
        invariant = pointers.invariant
        assert invariant is not None
        if offsets.invariant is not None:
            invariant = _Apply(tt.AddPtrOp, (invariant, offsets.invariant), value.type)
        offset = offsets.offset and _product(offsets.offset, _element_bytes(value))
        return _Split(invariant, _sum(pointers.offset, offset, types.i64))

    def _split_iter_arg(self, value: BlockArgument) -> _Split | None:
        """Split an iter_arg that advances alike in all elements."""
        loop, index = self._loop, value.index - 1
        if value.block is not loop.block or index < 0:
            return None
        if loop.results[index].first_use is not None:
            return None  # the pointers are needed after the loop
        total: _Expression | None = None
        size = _element_bytes(value)
        current = loop.yielded_values[index]
        while (op := defining_op(current, tt.AddPtrOp)) is not None:
            step = _scalar_of(op.offset)
            if step is None:
                return None
            total, current = _sum(total, _product(step, size), types.i64), op.ptr
        if current is not value or total is None:
            return None
        advance = _Advance(value)
        self.advances[advance] = total
        return _Split(loop.init_args[index], advance)

    def _split_offsets(self, value: SSAValue) -> _Split | None:
        """Split a tensor of integers; None if that is not possible."""
        if (scalar := _scalar_of(value)) is not None:
            return _Split(None, scalar)
        if is_defined_outside(value, self._loop):
            return _Split(value, None)
        op = defining_op(value)
        if op is None or types.element(value.type) != types.i64:
            return None  # a sum of fewer bits may wrap around before it is extended
        if isinstance(op, _SHAPES):
            split = self._split_offsets(op.src)
            if split is None or split.invariant is None:
                return split
            invariant = _Apply(type(op), (split.invariant,), value.type, op)
            return _Split(invariant, split.offset)
        if isinstance(op, arith.AddIOp):
            a, b = map(self._split_offsets, op.operands)
            if a is None or b is None:
                return None
            invariant = _sum(a.invariant, b.invariant, value.type)
            return _Split(invariant, _sum(a.offset, b.offset, types.i64))
        return self._split_product(op) if isinstance(op, arith.MulIOp) else None

    def _split_product(self, op: arith.MulIOp) -> _Split | None:
        """Split the product of a tensor and a factor that the loop does not change."""
        for tensor, factor in (op.operands, reversed(op.operands)):
            scalar, split = _scalar_of(factor), self._split_offsets(tensor)
            if scalar is None or split is None or not is_defined_outside(factor, self._loop):
                continue
            type_ = op.results[0].type
            return _Split(
                split.invariant and _Apply(arith.MulIOp, (split.invariant, factor), type_),
                split.offset and _Apply(arith.MulIOp, (split.offset, scalar), types.i64),
            )
        return None


def _scalar_of(value: SSAValue) -> _Expression | None:
    """Extend the scalar that all elements of a tensor are to 64 bits; None if they may differ."""
    number, op = constant_value(value), defining_op(value)
    if isinstance(number, int):
        return _Number(number)
    if isinstance(op, (arith.ExtSIOp, *_SHAPES)):
        return _scalar_of(op.operands[0])
    if not isinstance(op, tt.SplatOp):
        return None
    is_wide = op.src.type == types.i64
    return op.src if is_wide else _Apply(arith.ExtSIOp, (op.src,), types.i64)


def _sum(a: _Expression | None, b: _Expression | None, type_: Attribute) -> _Expression | None:
    if a is None or b is None:
        return b if a is None else a
    return _Apply(arith.AddIOp, (a, b), type_)


def _product(a: _Expression, factor: int) -> _Expression:
    """Multiply a scalar by a constant, its constant terms at compile time."""
    if isinstance(a, _Number):
        return _Number(a.value * factor)
    if isinstance(a, _Apply) and a.cls is arith.AddIOp:
        x, y = a.operands
        return _Apply(arith.AddIOp, (_product(x, factor), _product(y, factor)), a.type)
    return _Apply(arith.MulIOp, (a, _Number(factor)), types.i64)


def _element_bytes(pointers: SSAValue) -> int:
    pointer = types.element(pointers.type)
    assert types.is_pointer(pointer)
    return max(1, types.bit_width(pointer.pointee) // 8)


def _advances(expression: _Expression | None) -> Iterator[_Advance]:
    if isinstance(expression, _Advance):
        yield expression
    elif isinstance(expression, _Apply):
        for operand in expression.operands:
            yield from _advances(operand)


def _add_offsets(
    loop: scf.ForOp, advances: dict[_Advance, _Expression]
) -> tuple[scf.ForOp, dict[_Advance, SSAValue]]:
    """Add an iter_arg for each different advance, 0 in the first iteration.

    Returns:
        The new loop, and the iter_arg of each advance.
    """
    steps = list(dict.fromkeys(advances.values()))
    if not steps:
        return loop, {}
    zero, count = Builder().before(loop).constant(0, types.i64), len(loop.results)
    loop = add_iter_args(loop, [zero] * len(steps))
    new_args = loop.block.args[1 + count :]
    terminator = loop.terminator
    builder = Builder().before(terminator)
    for number, (step, offset) in enumerate(zip(steps, new_args, strict=True)):
        scalar = _create(builder, step, {})
        terminator.operands[count + number] = builder.value(
            arith.AddIOp, [offset, scalar], types.i64
        )
    return loop, {each: new_args[steps.index(step)] for each, step in advances.items()}


def _create(
    builder: Builder, expression: _Expression, advances: dict[_Advance, SSAValue]
) -> SSAValue:
    """Create the operations of an expression."""
    if isinstance(expression, _Number):
        return builder.constant(expression.value, types.i64)
    if isinstance(expression, _Advance):
        return advances[expression]
    if not isinstance(expression, _Apply):
        return expression
    operands = [_create(builder, operand, advances) for operand in expression.operands]
    like = expression.like
    properties = None if like is None else like.properties
    return builder.create(expression.cls, operands, [expression.type], properties).results[0]


def _erase_unused(loop: scf.ForOp) -> None:
    """Erase the computations of pointers that nothing uses any more."""
    op = loop.block.last_op
    while op is not None:
        previous = op.prev_op
        if isinstance(op, _PURE) and not used(op):
            erase(op)
        op = previous
