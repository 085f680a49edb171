"""What is known of numbers where they are made, and as they change shape, type or layout.

tt.make_range 0 … 64          one run of 64 that starts at 0
tt.splat %n                   %n, repeated along every dimension
tt.expand_dims {axis = 1}     a dimension of size 1: what divides every number divides there
tt.broadcast                  a dimension that was of size 1 repeats
tt.load %p, %m                repeats where pointer, mask and other do
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.info import (
    UNRESOLVED,
    AxisInfo,
    divisor,
    one_number,
    rank_of,
    unknown,
    unresolved,
    wrapped,
)
from weft.ir import arith, attributes, tt, ttg, types, ub
from weft.ir.builtin import IntegerType, Operation

__all__ = ["RULES"]

Rule = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]
_RANGE_FROM_ZERO = 1 << 30


def _kept(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """The numbers stay; a constant is what the new type holds of it."""
    info = infos[0]
    if info.constant is None:
        return info if _same_steps(op) else AxisInfo((1,) * info.rank, *_unit_runs(info))
    value = wrapped(info.constant, op.results[0].type)
    if isinstance(op, arith.ExtUIOp):
        value = info.constant % (1 << types.bit_width(op.operands[0].type))
    if value == info.constant:
        return info
    return AxisInfo(info.contiguity, info.divisibility, info.constancy, value)


def _same_steps(op: Operation) -> bool:
    """Tell whether pointers go on counting in elements of the same size."""
    sizes = [
        max(1, types.bit_width(scalar.pointee) // 8) if types.is_pointer(scalar) else 0
        for scalar in (types.element(op.operands[0].type), types.element(op.results[0].type))
    ]
    return sizes[0] == sizes[1]


def _unit_runs(info: AxisInfo) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return divisors and repetitions of pointers whose runs are cut into single elements."""
    divisibility = tuple(
        div if run in (1, UNRESOLVED) else 1
        for run, div in zip(info.contiguity, info.divisibility, strict=True)
    )
    return divisibility, info.constancy


def _range(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    assert isinstance(op, tt.MakeRangeOp)
    start, end = (int(attributes.number(op.properties[key]) or 0) for key in ("start", "end"))
    return AxisInfo((end - start,), (divisor(start) if start else _RANGE_FROM_ZERO,), (1,))


def _constant(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    type_ = op.results[0].type
    rank = rank_of(type_)
    value = attributes.number(op.properties["value"])
    scalar = types.element(type_)
    if not isinstance(value, int) or not (isinstance(scalar, IntegerType) or scalar == types.index):
        return unknown(rank)
    return one_number(value, type_)


def _poison(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Nothing ever reads it, so all may be said of it."""
    return unresolved(rank_of(op.results[0].type))


def _splat(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    shape = types.shape(op.results[0].type)
    rank = len(shape)
    info = infos[0]
    return AxisInfo((1,) * rank, info.divisibility[:1] * rank, shape, info.constant)


def _expanded(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    assert isinstance(op, tt.ExpandDimsOp)
    info = infos[0]
    axis = op.axis.value.data
    if info.constant is not None:
        divides = divisor(info.constant)
    else:
        divides = gcd(
            *(
                1 if run > 1 else div
                for run, div in zip(info.contiguity, info.divisibility, strict=True)
            )
        )
    return AxisInfo(
        _with(info.contiguity, axis, 1),
        _with(info.divisibility, axis, divides),
        _with(info.constancy, axis, 1),
        info.constant,
    )


def _with(values: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    return (*values[:axis], value, *values[axis:])


def _broadcast(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    info = infos[0]
    before, after = types.shape(op.operands[0].type), types.shape(op.results[0].type)
    return AxisInfo(
        tuple(1 if size == 1 else run for size, run in zip(before, info.contiguity, strict=True)),
        info.divisibility,
        tuple(
            wide if size == 1 else group
            for size, wide, group in zip(before, after, info.constancy, strict=True)
        ),
        info.constant,
    )


def _transposed(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    info = infos[0]
    order = attributes.array_values(op.properties["order"])
    contiguity, divisibility, constancy = (
        tuple(values[dim] for dim in order)
        for values in (info.contiguity, info.divisibility, info.constancy)
    )
    return AxisInfo(contiguity, divisibility, constancy, info.constant)


def _load(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Equal addresses under one mask give equal numbers."""
    groups = infos[0].constancy
    if len(infos) > 1:
        groups = tuple(map(gcd, groups, infos[1].constancy))
    if len(infos) > 2 and not _is_one_number(op, infos[2]):
        groups = tuple(map(gcd, groups, infos[2].constancy))
    ones = (1,) * len(groups)
    return AxisInfo(ones, ones, groups)


def _is_one_number(op: Operation, other: AxisInfo) -> bool:
    """Tell whether what a load gives outside its mask is a constant (a float, too)."""
    maker = op.operands[2].owner
    is_constant = isinstance(maker, arith.ConstantOp) and (
        attributes.number(maker.properties["value"]) is not None
    )
    return is_constant or other.constant is not None or max(other.constancy) == UNRESOLVED


RULES: dict[type[Operation], Rule] = {
    arith.ExtSIOp: _kept,
    arith.ExtUIOp: _kept,
    arith.TruncIOp: _kept,
    tt.BitcastOp: _kept,
    ttg.ConvertLayoutOp: _kept,
    tt.MakeRangeOp: _range,
    arith.ConstantOp: _constant,
    ub.PoisonOp: _poison,
    tt.SplatOp: _splat,
    tt.ExpandDimsOp: _expanded,
    tt.BroadcastOp: _broadcast,
    tt.TransOp: _transposed,
    tt.LoadOp: _load,
}
