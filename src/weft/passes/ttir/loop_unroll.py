"""Unroll loops by the factor of `tl.range(…, loop_unroll_factor=…)`.

Before:  scf.for %i = %c0 to %n step %c1 { body(%i) } {tt.loop_unroll_factor = 2}
After:   scf.for %i = %c0 to %even step %c2 { body(%i)  body(%i + 1) }
         scf.for %i = %even to %n step %c1 { body(%i) } {tt.num_stages = 1}

The second loop, the epilogue, runs the remaining iterations. With constant bounds it is omitted if
there are none, and inlined if there is one. It has a single stage, because it is too short to be
pipelined.

Preserves values and the order of effects.
Source: measured on Triton 3.7.1 (`triton-loop-unroll`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.loop_attributes import LOOP_UNROLL_FACTOR, NUM_STAGES
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, clone, constant_value, replace, walk

__all__ = ["LoopUnroll"]


class LoopUnroll(Struct, frozen=True):
    """Unrolls the loops with an unroll factor."""

    name: ClassVar[str] = "triton-loop-unroll"

    def run(self, module: ModuleOp) -> None:
        """Unroll loops in place, inner ones first."""
        loops = [
            op
            for op in walk(module)
            if isinstance(op, scf.ForOp) and LOOP_UNROLL_FACTOR in op.attributes
        ]
        for loop in reversed(loops):
            factor = attributes.number(loop.attributes[LOOP_UNROLL_FACTOR])
            assert isinstance(factor, int)
            if factor > 1:
                del loop.attributes[LOOP_UNROLL_FACTOR]
                _unroll(loop, factor)


class _Bounds(Struct, frozen=True):
    """The bounds of an unrolled loop.

    Attributes:
        end: The upper bound.
        step: The step.
        has_epilogue: Whether iterations may remain.
    """

    end: SSAValue
    step: SSAValue
    has_epilogue: bool


def _unroll(loop: scf.ForOp, factor: int) -> None:
    low, high, step = (constant_value(value) for value in loop.bounds)
    if isinstance(low, int) and isinstance(high, int) and isinstance(step, int):
        bounds = _constant_bounds(loop, factor, low, high, step)
    else:
        bounds = _computed_bounds(loop, factor)
    epilogue = _add_epilogue(loop, bounds.end) if bounds.has_epilogue else None
    _repeat_body(loop, factor)
    loop.upper_bound = bounds.end
    loop.step = bounds.step
    for each in (epilogue, loop):
        if each is not None:
            _simplify_trivial(each)


def _constant_bounds(loop: scf.ForOp, factor: int, low: int, high: int, step: int) -> _Bounds:
    trip_count = max(-(-(high - low) // step), 0)
    end = low + (trip_count - trip_count % factor) * step
    builder = Builder().before(loop)
    type_ = loop.lower_bound.type
    has_epilogue = end < high
    upper_bound = builder.constant(end, type_) if has_epilogue else loop.upper_bound
    return _Bounds(upper_bound, builder.constant(step * factor, type_), has_epilogue)


def _computed_bounds(loop: scf.ForOp, factor: int) -> _Bounds:
    """Build the computation of the trip count ⌈(high - low) / step⌉, rounded down to a multiple."""
    builder = Builder().before(loop)
    low, high, step = loop.bounds
    type_ = low.type

    def compute(cls: type[Op], a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.value(cls, [a, b], type_)

    difference = compute(arith.SubIOp, high, low)
    one = builder.constant(1, type_)
    padded = compute(arith.AddIOp, difference, compute(arith.SubIOp, step, one))
    trip_count = compute(arith.DivUIOp, padded, step)
    multiple = builder.constant(factor, type_)
    remainder = compute(arith.RemSIOp, trip_count, multiple)
    unrolled = compute(arith.SubIOp, trip_count, remainder)
    end = compute(arith.AddIOp, low, compute(arith.MulIOp, unrolled, step))
    return _Bounds(end, compute(arith.MulIOp, step, multiple), True)


def _add_epilogue(loop: scf.ForOp, start: SSAValue) -> scf.ForOp:
    """Insert a copy of the loop after it, for the iterations from `start` on."""
    epilogue = clone(loop, {})
    assert isinstance(epilogue, scf.ForOp)
    Builder().after(loop).insert(epilogue)
    for old, new in zip(loop.results, epilogue.results, strict=True):
        old.replace_all_uses_with(new)
    epilogue.operands = (start, epilogue.upper_bound, epilogue.step, *loop.results)
    loop_attributes = {**epilogue.attributes, NUM_STAGES: attributes.integer(1, types.i32)}
    epilogue.attributes = dict(sorted(loop_attributes.items()))
    return epilogue


def _repeat_body(loop: scf.ForOp, factor: int) -> None:
    """Append `factor - 1` copies of the body, each on the values that the previous one yields."""
    terminator = loop.terminator
    body = [op for op in loop.block.ops if op is not terminator]
    induction_variable = loop.induction_variable
    yielded = tuple(terminator.operands)
    uses_induction_variable = induction_variable.first_use is not None
    builder = Builder().before(terminator)
    builder.location = loop.location
    current = yielded
    for index in range(1, factor):
        values: dict[SSAValue, SSAValue] = dict(zip(loop.iter_args, current, strict=True))
        if uses_induction_variable:
            type_ = induction_variable.type
            number = builder.constant(index, type_)
            offset = builder.value(arith.MulIOp, [loop.step, number], type_)
            operands = [induction_variable, offset]
            values[induction_variable] = builder.value(arith.AddIOp, operands, type_)
        for op in body:
            builder.insert(clone(op, values))
        current = tuple(values.get(value, value) for value in yielded)
    terminator.operands = current


def _simplify_trivial(loop: scf.ForOp) -> None:
    """Inline a loop with constant bounds that runs once, and erase one that does not run."""
    low, high, step = (constant_value(value) for value in loop.bounds)
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(step, int)):
        return
    if high <= low:
        replace(loop, loop.init_args)
        return
    if high - low > step:
        return
    terminator = loop.terminator
    inits = (loop.lower_bound, *loop.init_args)
    for argument, value in zip(loop.block.args, inits, strict=True):
        argument.replace_all_uses_with(value)
    builder = Builder().before(loop)
    for op in tuple(loop.block.ops):
        if op is not terminator:
            op.detach()
            builder.insert(op)
    replace(loop, tuple(terminator.operands))
