"""Ranges of results from ranges of operands, by operation.

RULES[class](op, ranges of the operands) is the range of every integer result; None where an
operand has none yet. An operation that is not listed may give anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.analysis.integer_ranges import arithmetic as on
from weft.analysis.integer_ranges.interval import Range, width_of
from weft.ir import amdg, arith, tt, ttg
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import DenseIntOrFPElementsAttr, IntegerAttr, Operation
from weft.ir.enums import CmpIPredicate
from weft.ir.flags import FlagsAttr

__all__ = ["PROGRAMS", "RULES"]

PROGRAMS = 1 << 31  # a launch has fewer programs per axis than this

Rule = Callable[[Operation, Sequence["Range | None"]], "Range | None"]

_NO_FLAGS: frozenset[str] = frozenset()

_BINARY: dict[type[Operation], on.Binary] = {
    arith.AddIOp: on.add,
    arith.SubIOp: on.subtract,
    arith.MulIOp: on.multiply,
    arith.DivSIOp: on.divide_signed,
    arith.DivUIOp: on.divide_unsigned,
    arith.CeilDivSIOp: on.divide_up_signed,
    arith.CeilDivUIOp: on.divide_up_unsigned,
    arith.FloorDivSIOp: on.divide_down_signed,
    arith.RemSIOp: on.remainder_signed,
    arith.RemUIOp: on.remainder_unsigned,
    arith.AndIOp: on.bitwise_and,
    arith.OrIOp: on.bitwise_or,
    arith.XOrIOp: on.bitwise_xor,
    arith.ShLIOp: on.shift_left,
    arith.ShRSIOp: on.shift_right_signed,
    arith.ShRUIOp: on.shift_right_unsigned,
    arith.MinSIOp: on.minimum_signed,
    arith.MinUIOp: on.minimum_unsigned,
    arith.MaxSIOp: on.maximum_signed,
    arith.MaxUIOp: on.maximum_unsigned,
}


def _binary(infer: on.Binary) -> Rule:
    def rule(op: Operation, ranges: Sequence[Range | None]) -> Range | None:
        left, right = ranges
        if left is None or right is None:
            return None
        flags = op.properties.get("overflowFlags")
        given = frozenset(flags.data[1:]) if isinstance(flags, FlagsAttr) else _NO_FLAGS
        return infer(left, right, given)

    return rule


def _width(op: Operation) -> int:
    width = width_of(op.results[0].type)
    assert width is not None, f"{op.name} gives integers"
    return width


def _cast(op: Operation, ranges: Sequence[Range | None]) -> Range | None:
    given, width = ranges[0], _width(op)
    if given is None or given.width == width:
        return given
    if given.width > width:
        return on.truncate(given, width)
    extend = on.extend_unsigned if isinstance(op, arith.ExtUIOp) else on.extend_signed
    return extend(given, width)


def _constant(op: Operation, _: Sequence[Range | None]) -> Range | None:
    value, width = op.properties["value"], _width(op)
    if isinstance(value, SplatAttr):
        value = value.value
    if isinstance(value, IntegerAttr):
        return Range.constant(width, value.value.data)
    found: Range | None = None
    if isinstance(value, DenseIntOrFPElementsAttr):
        for number in value.get_values():
            one = Range.constant(width, int(number))
            found = one if found is None else found.union(one)
    return Range.full(width) if found is None else found


def _compare(op: Operation, ranges: Sequence[Range | None]) -> Range | None:
    left, right = ranges
    if left is None or right is None:
        return None
    known = on.compare(CmpIPredicate.of(op.properties["predicate"]), left, right)
    return Range.unsigned(1, 0, 1) if known is None else Range.constant(1, int(known))


def _select(_: Operation, ranges: Sequence[Range | None]) -> Range | None:
    condition, yes, no = ranges
    if condition is not None and condition.value is not None:
        return yes if condition.value else no
    if yes is None or no is None:
        return yes if no is None else no
    return yes.union(no)


def _same(op: Operation, ranges: Sequence[Range | None]) -> Range | None:
    """Move elements about: any of the operand's numbers may be anywhere in the result."""
    return Range.full(_width(op)) if ranges[0] is None else ranges[0]


def _either(op: Operation, ranges: Sequence[Range | None]) -> Range | None:
    left, right = ranges
    return Range.full(_width(op)) if left is None or right is None else left.union(right)


def _counting(op: Operation, _: Sequence[Range | None]) -> Range | None:
    assert isinstance(op, tt.MakeRangeOp)
    start, end = (op.properties[name] for name in ("start", "end"))
    assert isinstance(start, IntegerAttr)
    assert isinstance(end, IntegerAttr)
    return Range.unsigned(_width(op), start.value.data, end.value.data - 1)


def _up_to(highest: int) -> Rule:
    return lambda op, _: Range.unsigned(_width(op), 0, highest)


def _not_negative(op: Operation, _: Sequence[Range | None]) -> Range | None:
    width = _width(op)
    return Range.signed(width, 0, (1 << (width - 1)) - 1)


_MOVES: tuple[type[Operation], ...] = (
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

RULES: dict[type[Operation], Rule] = {
    **{cls: _binary(infer) for cls, infer in _BINARY.items()},
    **dict.fromkeys(_MOVES, _same),
    **dict.fromkeys((tt.JoinOp, tt.CatOp), _either),
    **dict.fromkeys((arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp), _cast),
    arith.ConstantOp: _constant,
    arith.CmpIOp: _compare,
    arith.SelectOp: _select,
    tt.MakeRangeOp: _counting,
    tt.GetProgramIdOp: _up_to(PROGRAMS - 1),
    tt.GetNumProgramsOp: _up_to(PROGRAMS),
    tt.HistogramOp: _not_negative,
}
