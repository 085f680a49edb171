"""Transfer functions of operations that create, reshape or convert tensors, on axis info.

tt.make_range 0 … 64          one run of 64 that starts at 0
tt.splat %n                   constant along every dimension
tt.expand_dims {axis = 1}     along the new dimension of size 1, every number starts a run
tt.broadcast                  constant along the dimension that was of size 1
tt.load %p, %m                constant where pointer, mask and other are
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.lattice import (
    UNCONSTRAINED,
    AxisInfo,
    constant_info,
    divisor_of_groups,
    power_of_two_divisor,
    rank_of,
    unconstrained,
    unknown,
    wrap_to_type,
)
from weft.ir import amdg, arith, attributes, gluon, tt, ttg, types, ub
from weft.ir.builtin import Attribute, IntegerType, Operation, UnrealizedConversionCastOp

__all__ = ["TRANSFER_FUNCTIONS"]

_TransferFunction = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]
_DIVISIBILITY_OF_RANGE_FROM_ZERO = 1 << 30  # as in Triton 3.7.1, measured


def _cast(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a conversion that keeps the numbers; a constant wraps to the new width."""
    info = infos[0]
    if info.constant is None:
        if _pointer_step_bytes(op.operands[0].type) == _pointer_step_bytes(op.results[0].type):
            return info
        return _with_runs_of_one(info)
    # Only a constant is known to wrap; other numbers are taken to fit.
    value = wrap_to_type(info.constant, op.results[0].type)
    if isinstance(op, arith.ExtUIOp):
        value = info.constant % (1 << types.bit_width(op.operands[0].type))
    if value == info.constant:
        return info
    return AxisInfo(info.contiguity, info.divisibility, info.constancy, value)


def _unrealized_cast(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a cast that a later pass resolves, from what it casts if the rank is the same."""
    result = op.results[0].type
    if types.is_tensor(result) and rank_of(result) != infos[0].rank:
        return unknown(rank_of(result))
    return infos[0]


def _pointer_step_bytes(type_: Attribute) -> int:
    """Compute the bytes by which consecutive pointers differ; 0 for other elements."""
    scalar = types.element(type_)
    return max(1, types.bit_width(scalar.pointee) // 8) if types.is_pointer(scalar) else 0


def _with_runs_of_one(info: AxisInfo) -> AxisInfo:
    """Cut runs of pointers into single elements, because the size of the pointee changes."""
    divisibility = tuple(
        div if run in (1, UNCONSTRAINED) else 1
        for run, div in zip(info.contiguity, info.divisibility, strict=True)
    )
    return AxisInfo((1,) * info.rank, divisibility, info.constancy)


def _make_range(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    assert isinstance(op, tt.MakeRangeOp)
    start, end = (int(attributes.number(op.properties[key]) or 0) for key in ("start", "end"))
    divisibility = power_of_two_divisor(start) if start else _DIVISIBILITY_OF_RANGE_FROM_ZERO
    return AxisInfo((end - start,), (divisibility,), (1,))


def _constant(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    type_ = op.results[0].type
    rank = rank_of(type_)
    value = attributes.number(op.properties["value"])
    scalar = types.element(type_)
    if not isinstance(value, int) or not (isinstance(scalar, IntegerType) or scalar == types.index):
        return unknown(rank)
    return constant_info(value, type_)


def _poison(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer poison: any claim about it is true."""
    return unconstrained(rank_of(op.results[0].type))


def _splat(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    shape = types.shape(op.results[0].type)
    rank = len(shape)
    info = infos[0]
    return AxisInfo((1,) * rank, info.divisibility[:1] * rank, shape, info.constant)


def _expand_dims(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    assert isinstance(op, tt.ExpandDimsOp)
    info = infos[0]
    axis = op.axis.value.data
    # Along the new dimension each element is a run, so the divisor has to divide all of them.
    if info.constant is not None:
        divisor = power_of_two_divisor(info.constant)
    else:
        divisor = gcd(
            *(
                1 if run > 1 else div
                for run, div in zip(info.contiguity, info.divisibility, strict=True)
            )
        )
    return AxisInfo(
        _insert(info.contiguity, axis, 1),
        _insert(info.divisibility, axis, divisor),
        _insert(info.constancy, axis, 1),
        info.constant,
    )


def _insert(values: tuple[int, ...], axis: int, value: int) -> tuple[int, ...]:
    return (*values[:axis], value, *values[axis:])


def _broadcast(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    # Along a broadcast dimension all numbers are equal, so each is a run.
    info = infos[0]
    before, after = types.shape(op.operands[0].type), types.shape(op.results[0].type)
    return AxisInfo(
        tuple(1 if size == 1 else run for size, run in zip(before, info.contiguity, strict=True)),
        info.divisibility,
        tuple(
            new_size if size == 1 else group
            for size, new_size, group in zip(before, after, info.constancy, strict=True)
        ),
        info.constant,
    )


def _transpose(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    info = infos[0]
    order = attributes.array_values(op.properties["order"])
    contiguity, divisibility, constancy = (
        tuple(values[dim] for dim in order)
        for values in (info.contiguity, info.divisibility, info.constancy)
    )
    return AxisInfo(contiguity, divisibility, constancy, info.constant)


def _load(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a load: equal addresses with equal masks read equal numbers."""
    constancy = infos[0].constancy
    if len(infos) > 1:
        constancy = tuple(map(gcd, constancy, infos[1].constancy))
    if len(infos) > 2 and not _is_constant_other(op, infos[2]):
        constancy = tuple(map(gcd, constancy, infos[2].constancy))
    ones = (1,) * len(constancy)
    return AxisInfo(ones, ones, constancy)


def _is_constant_other(op: Operation, other: AxisInfo) -> bool:
    """Check whether the value of a load outside its mask is one number, integer or float."""
    producer = op.operands[2].owner
    is_constant = isinstance(producer, arith.ConstantOp) and (
        attributes.number(producer.properties["value"]) is not None
    )
    return is_constant or other.constant is not None or max(other.constancy) == UNCONSTRAINED


def _extract_slice(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Infer a slice: a group is cut where the slice begins and ends."""
    assert isinstance(op, amdg.ExtractSliceOp)
    info, shape = infos[0], types.shape(op.results[0].type)
    bounds = [
        gcd(start, size)
        for start, size in zip(attributes.array_values(op.static_offsets), shape, strict=True)
    ]
    contiguity = tuple(map(gcd, info.contiguity, bounds))
    divisibility = tuple(map(divisor_of_groups, info.contiguity, info.divisibility, contiguity))
    return AxisInfo(
        contiguity, divisibility, tuple(map(gcd, info.constancy, bounds)), info.constant
    )


TRANSFER_FUNCTIONS: dict[type[Operation], _TransferFunction] = {
    arith.ExtSIOp: _cast,
    arith.ExtUIOp: _cast,
    arith.TruncIOp: _cast,
    tt.BitcastOp: _cast,
    ttg.ConvertLayoutOp: _cast,
    gluon.SetAutoLayoutOp: _cast,
    UnrealizedConversionCastOp: _unrealized_cast,
    tt.MakeRangeOp: _make_range,
    arith.ConstantOp: _constant,
    ub.PoisonOp: _poison,
    tt.SplatOp: _splat,
    tt.ExpandDimsOp: _expand_dims,
    tt.BroadcastOp: _broadcast,
    tt.TransOp: _transpose,
    tt.LoadOp: _load,
    amdg.ExtractSliceOp: _extract_slice,
}
