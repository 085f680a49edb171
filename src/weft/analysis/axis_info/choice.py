"""How runs, divisors and repetitions pass through comparisons, selections, minima and maxima.

[16 17 … 31] < splat(24)      8 divides 16 and 24: the answers come in groups of 8
select(c, [4 5 6 7], [0 0 8 8])   runs no longer than those of both sides and the groups of c
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.hints import told_contiguity
from weft.analysis.axis_info.info import AxisInfo, divides_group, join, one_number, unknown
from weft.ir import arith, types
from weft.ir.builtin import Operation
from weft.ir.enums import CmpIPredicate

__all__ = ["RULES"]

Rule = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]

_COMPARE: dict[CmpIPredicate, Callable[[int, int], bool]] = {
    CmpIPredicate.EQ: operator.eq,
    CmpIPredicate.NE: operator.ne,
    CmpIPredicate.SLT: operator.lt,
    CmpIPredicate.SLE: operator.le,
    CmpIPredicate.SGT: operator.gt,
    CmpIPredicate.SGE: operator.ge,
    CmpIPredicate.ULT: operator.lt,
    CmpIPredicate.ULE: operator.le,
    CmpIPredicate.UGT: operator.gt,
    CmpIPredicate.UGE: operator.ge,
}
_UNSIGNED = {CmpIPredicate.ULT, CmpIPredicate.ULE, CmpIPredicate.UGT, CmpIPredicate.UGE}
# A run that starts at a multiple of what also divides the constant lies on one side of it:
# for `constant > run` and `constant <= run`, and the other way round.
_RUN_RIGHT = {CmpIPredicate.SGT, CmpIPredicate.UGT, CmpIPredicate.SLE, CmpIPredicate.ULE}
_RUN_LEFT = {CmpIPredicate.SLT, CmpIPredicate.ULT, CmpIPredicate.SGE, CmpIPredicate.UGE}


def _comparison(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    result = op.results[0].type
    if not types.is_tensor(result):
        return unknown(1)
    a, b = infos
    shape = types.shape(result)
    predicate = CmpIPredicate.of(op.properties["predicate"])
    ones = (1,) * len(shape)
    if a.constant is not None and b.constant is not None:
        left, right = a.constant, b.constant
        if predicate in _UNSIGNED:
            bits = types.bit_width(op.operands[0].type)
            left, right = left % (1 << bits), right % (1 << bits)
        return AxisInfo(ones, ones, shape, int(_COMPARE[predicate](left, right)))
    groups = []
    for d, size in enumerate(shape):
        group = gcd(a.constancy[d], b.constancy[d])
        run = 1
        if predicate in _RUN_RIGHT and a.constancy[d] == size:
            run = b.contiguity[d]
        elif predicate in _RUN_LEFT and b.constancy[d] == size:
            run = a.contiguity[d]
        groups.append(max(group, gcd(run, a.divisibility[d], b.divisibility[d])))
    return AxisInfo(ones, ones, tuple(groups))


def _selection(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    condition, a, b = infos
    if condition.constant is not None:
        return a if condition.constant else b
    if a.constant is not None and a.constant == b.constant:
        return one_number(a.constant, op.results[0].type)
    either = join(a, b)
    if not types.is_tensor(op.operands[0].type):
        return either
    contiguity = tuple(map(gcd, either.contiguity, condition.constancy))
    told = told_contiguity(op, contiguity)
    divisibility = tuple(map(divides_group, either.contiguity, either.divisibility, told))
    constancy = tuple(map(gcd, either.constancy, condition.constancy))
    return AxisInfo(contiguity, divisibility, constancy)


_LARGER = (arith.MaxSIOp, arith.MaxUIOp)
_UNSIGNED_EXTREMES = (arith.MaxUIOp, arith.MinUIOp)


def _extreme(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """The larger of two runs of one length is one of the two runs."""
    a, b = infos
    if a.constant is None or b.constant is None:
        either = join(a, b)
        return AxisInfo(either.contiguity, either.divisibility, either.constancy)
    pick = max if isinstance(op, _LARGER) else min
    bits = types.bit_width(op.results[0].type)
    unsigned = isinstance(op, _UNSIGNED_EXTREMES)
    value = pick(a.constant, b.constant, key=lambda n: n % (1 << bits) if unsigned else n)
    return one_number(value, op.results[0].type)


RULES: dict[type[Operation], Rule] = {
    arith.CmpIOp: _comparison,
    arith.SelectOp: _selection,
    arith.MaxSIOp: _extreme,
    arith.MaxUIOp: _extreme,
    arith.MinSIOp: _extreme,
    arith.MinUIOp: _extreme,
}
