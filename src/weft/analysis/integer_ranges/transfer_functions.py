"""Transfer functions of operations on integer ranges.

    arith.addi %a, %b         the sum of both ranges
    tt.splat %a               the range of %a
    tt.get_program_id x       [0, 2³¹ - 1]

`TRANSFER_FUNCTIONS[cls](op, ranges)` computes the range of the integer results of an operation from
the ranges of its operands; None is an operand or a result without a range. An operation
of a class that is not listed may have any result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.analysis.integer_ranges import arithmetic
from weft.analysis.integer_ranges.integer_range import IntegerRange, width_of
from weft.ir import amdg, arith, tt, ttg
from weft.ir.attributes import SplatAttr
from weft.ir.bit_enums import FlagsAttr
from weft.ir.builtin import DenseIntOrFPElementsAttr, IntegerAttr, Operation
from weft.ir.enums import CmpIPredicate

__all__ = ["MAX_PROGRAMS", "TRANSFER_FUNCTIONS"]

MAX_PROGRAMS = 1 << 31  # a launch has fewer programs per axis

TransferFunction = Callable[
    [Operation, Sequence["IntegerRange | None"]],
    "IntegerRange | None",
]

_NO_FLAGS: frozenset[str] = frozenset()

_BINARY: dict[type[Operation], arithmetic.Binary] = {
    arith.AddIOp: arithmetic.add,
    arith.SubIOp: arithmetic.subtract,
    arith.MulIOp: arithmetic.multiply,
    arith.DivSIOp: arithmetic.divide_signed,
    arith.DivUIOp: arithmetic.divide_unsigned,
    arith.CeilDivSIOp: arithmetic.divide_up_signed,
    arith.CeilDivUIOp: arithmetic.divide_up_unsigned,
    arith.FloorDivSIOp: arithmetic.divide_down_signed,
    arith.RemSIOp: arithmetic.remainder_signed,
    arith.RemUIOp: arithmetic.remainder_unsigned,
    arith.AndIOp: arithmetic.bitwise_and,
    arith.OrIOp: arithmetic.bitwise_or,
    arith.XOrIOp: arithmetic.bitwise_xor,
    arith.ShLIOp: arithmetic.shift_left,
    arith.ShRSIOp: arithmetic.shift_right_signed,
    arith.ShRUIOp: arithmetic.shift_right_unsigned,
    arith.MinSIOp: arithmetic.minimum_signed,
    arith.MinUIOp: arithmetic.minimum_unsigned,
    arith.MaxSIOp: arithmetic.maximum_signed,
    arith.MaxUIOp: arithmetic.maximum_unsigned,
}


def _binary(infer: arithmetic.Binary) -> TransferFunction:
    def transfer(op: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
        left, right = ranges
        if left is None or right is None:
            return None
        flags = op.properties.get("overflowFlags")
        names = frozenset(flags.data[1:]) if isinstance(flags, FlagsAttr) else _NO_FLAGS
        return infer(left, right, names)

    return transfer


def _result_width(op: Operation) -> int:
    width = width_of(op.results[0].type)
    assert width is not None, f"{op.name} has integer results"
    return width


def _cast(op: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
    source, width = ranges[0], _result_width(op)
    if source is None or source.width == width:
        return source
    if source.width > width:
        return arithmetic.truncate(source, width)
    is_unsigned = isinstance(op, arith.ExtUIOp)
    extend = arithmetic.extend_unsigned if is_unsigned else arithmetic.extend_signed
    return extend(source, width)


def _constant(op: Operation, _: Sequence[IntegerRange | None]) -> IntegerRange | None:
    value, width = op.properties["value"], _result_width(op)
    if isinstance(value, SplatAttr):
        value = value.value
    if isinstance(value, IntegerAttr):
        return IntegerRange.constant(width, value.value.data)
    result: IntegerRange | None = None
    if isinstance(value, DenseIntOrFPElementsAttr):
        for number in value.get_values():
            element = IntegerRange.constant(width, int(number))
            result = element if result is None else result.union(element)
    return IntegerRange.full(width) if result is None else result


def _compare(op: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
    left, right = ranges
    if left is None or right is None:
        return None
    result = arithmetic.compare(CmpIPredicate.of(op.properties["predicate"]), left, right)
    if result is None:
        return IntegerRange.unsigned(1, 0, 1)
    return IntegerRange.constant(1, int(result))


def _select(_: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
    condition, if_true, if_false = ranges
    if condition is not None and condition.value is not None:
        return if_true if condition.value else if_false
    if if_true is None or if_false is None:
        return if_true if if_false is None else if_false
    return if_true.union(if_false)


def _same(op: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
    """Rearrange elements: any element of the operand may be anywhere in the result."""
    return IntegerRange.full(_result_width(op)) if ranges[0] is None else ranges[0]


def _join_operands(op: Operation, ranges: Sequence[IntegerRange | None]) -> IntegerRange | None:
    left, right = ranges
    if left is None or right is None:
        return IntegerRange.full(_result_width(op))
    return left.union(right)


def _make_range(op: Operation, _: Sequence[IntegerRange | None]) -> IntegerRange | None:
    assert isinstance(op, tt.MakeRangeOp)
    start, end = (op.properties[name] for name in ("start", "end"))
    assert isinstance(start, IntegerAttr)
    assert isinstance(end, IntegerAttr)
    return IntegerRange.unsigned(_result_width(op), start.value.data, end.value.data - 1)


def _from_zero_to(highest: int) -> TransferFunction:
    return lambda op, _: IntegerRange.unsigned(_result_width(op), 0, highest)


def _not_negative(op: Operation, _: Sequence[IntegerRange | None]) -> IntegerRange | None:
    width = _result_width(op)
    return IntegerRange.signed(width, 0, (1 << (width - 1)) - 1)


_REARRANGING: tuple[type[Operation], ...] = (
    tt.TransOp,
    tt.SplitOp,
    tt.BroadcastOp,
    tt.ReshapeOp,
    tt.SplatOp,
    tt.ExpandDimsOp,
    tt.GatherOp,
    ttg.ConvertLayoutOp,
    amdg.ExtractSliceOp,
)
_CASTS: tuple[type[Operation], ...] = (
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.IndexCastOp,
)

TRANSFER_FUNCTIONS: dict[type[Operation], TransferFunction] = {
    **{cls: _binary(infer) for cls, infer in _BINARY.items()},
    **dict.fromkeys(_REARRANGING, _same),
    **dict.fromkeys((tt.JoinOp, tt.CatOp), _join_operands),
    **dict.fromkeys(_CASTS, _cast),
    arith.ConstantOp: _constant,
    arith.CmpIOp: _compare,
    arith.SelectOp: _select,
    tt.MakeRangeOp: _make_range,
    tt.GetProgramIdOp: _from_zero_to(MAX_PROGRAMS - 1),
    tt.GetNumProgramsOp: _from_zero_to(MAX_PROGRAMS),
    tt.HistogramOp: _not_negative,
}
