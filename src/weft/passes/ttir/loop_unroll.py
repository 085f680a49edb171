"""Repeat a loop's body as often as its author asked for (`triton-loop-unroll`).

Before:  scf.for %i = %c0 to %n step %c1 { body(%i) } {tt.loop_unroll_factor = 2}
After:   scf.for %i = %c0 to %even step %c2 { body(%i)  body(%i + 1) }
         scf.for %i = %even to %n step %c1 { body(%i) } {tt.num_stages = 1}

The second loop does what is left over; with constant bounds it is left out where nothing is,
and inlined where it runs once. It is not worth pipelining, hence its single stage.
Keeps: values, the order of effects. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.rewriting import Builder, clone, constant_value, replace, walk

__all__ = ["LoopUnroll"]

FACTOR, STAGES = "tt.loop_unroll_factor", "tt.num_stages"


@dataclass(frozen=True, slots=True)
class LoopUnroll:
    """Post: no loop carries an unroll factor."""

    name: ClassVar[str] = "triton-loop-unroll"

    def run(self, module: ModuleOp) -> None:
        """Unroll marked loops in place, inner ones first."""
        marked = [
            op for op in walk(module) if isinstance(op, scf.ForOp) and FACTOR in op.attributes
        ]
        for loop in reversed(marked):
            factor = attributes.number(loop.attributes[FACTOR])
            assert isinstance(factor, int)
            if factor > 1:
                del loop.attributes[FACTOR]
                _unroll(loop, factor)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where the unrolled loop ends and how it steps; rest: whether iterations are left over."""

    end: SSAValue
    step: SSAValue
    rest: bool


def _unroll(loop: scf.ForOp, factor: int) -> None:
    low, high, step = (constant_value(value) for value in loop.bounds)
    if isinstance(low, int) and isinstance(high, int) and isinstance(step, int):
        bounds = _constant_bounds(loop, factor, low, high, step)
    else:
        bounds = _computed_bounds(loop, factor)
    rest = _add_rest(loop, bounds.end) if bounds.rest else None
    _repeat_body(loop, factor)
    loop.upper_bound = bounds.end
    loop.step = bounds.step
    for one in (rest, loop):
        if one is not None:
            _drop_trivial(one)


def _constant_bounds(loop: scf.ForOp, factor: int, low: int, high: int, step: int) -> _Bounds:
    trips = max(-(-(high - low) // step), 0)
    end = low + (trips - trips % factor) * step
    builder = Builder().before(loop)
    type_ = loop.lower_bound.type
    rest = end < high
    last = builder.constant(end, type_) if rest else loop.upper_bound
    return _Bounds(last, builder.constant(step * factor, type_), rest)


def _computed_bounds(loop: scf.ForOp, factor: int) -> _Bounds:
    """Compute at run time: trips = ⌈(high - low) / step⌉, and the largest multiple below."""
    builder = Builder().before(loop)
    low, high, step = loop.bounds
    type_ = low.type

    def compute(cls: type[arith.AddIOp] | type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        return builder.value(cls, [a, b], type_)  # pyright: ignore[reportArgumentType]

    distance = compute(arith.SubIOp, high, low)
    one = builder.constant(1, type_)
    padded = compute(arith.AddIOp, distance, compute(arith.SubIOp, step, one))
    trips = compute(arith.DivUIOp, padded, step)
    times = builder.constant(factor, type_)
    even = compute(arith.SubIOp, trips, compute(arith.RemSIOp, trips, times))
    end = compute(arith.AddIOp, low, compute(arith.MulIOp, even, step))
    return _Bounds(end, compute(arith.MulIOp, step, times), True)


def _add_rest(loop: scf.ForOp, start: SSAValue) -> scf.ForOp:
    """Put a copy of the loop behind it, for the iterations from `start` on."""
    rest = clone(loop, {})
    assert isinstance(rest, scf.ForOp)
    Builder().after(loop).insert(rest)
    for old, new in zip(loop.results, rest.results, strict=True):
        old.replace_all_uses_with(new)
    rest.operands = (start, rest.upper_bound, rest.step, *loop.results)
    marks = {**rest.attributes, STAGES: attributes.integer(1, types.i32)}
    rest.attributes = dict(sorted(marks.items()))
    return rest


def _repeat_body(loop: scf.ForOp, factor: int) -> None:
    """Append `factor - 1` copies of the body, each on the values that the one before yields."""
    last = loop.terminator
    body = [op for op in loop.block.ops if op is not last]
    counter = loop.induction_variable
    yielded = tuple(last.operands)
    counts = counter.first_use is not None
    builder = Builder().before(last)
    builder.location = loop.location
    current = yielded
    for index in range(1, factor):
        values: dict[SSAValue, SSAValue] = dict(zip(loop.iter_args, current, strict=True))
        if counts:
            offset = builder.constant(index, counter.type)
            ahead = builder.value(arith.MulIOp, [loop.step, offset], counter.type)
            values[counter] = builder.value(arith.AddIOp, [counter, ahead], counter.type)
        for op in body:
            builder.insert(clone(op, values))
        current = tuple(values.get(value, value) for value in yielded)
    last.operands = current


def _drop_trivial(loop: scf.ForOp) -> None:
    """Replace a loop that is known to run once by its body, and one that never runs by nothing."""
    low, high, step = (constant_value(value) for value in loop.bounds)
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(step, int)):
        return
    if high <= low:
        replace(loop, loop.init_args)
        return
    if high - low > step:
        return
    last = loop.terminator
    starts = (loop.lower_bound, *loop.init_args)
    for argument, value in zip(loop.block.args, starts, strict=True):
        argument.replace_all_uses_with(value)
    builder = Builder().before(loop)
    for op in tuple(loop.block.ops):
        if op is not last:
            op.detach()
            builder.insert(op)
    replace(loop, tuple(last.operands))
