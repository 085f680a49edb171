"""Transfer functions of comparisons, selections, minima and maxima on axis info.

[16 17 … 31] < splat(24)          8 divides 16 and 24: the results are constant in groups of 8
select(c, [4 5 6 7], [0 0 8 8])   runs no longer than those of both sides and the groups of c
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import gcd

from weft.analysis.axis_info.hint_attributes import hinted_contiguity
from weft.analysis.axis_info.lattice import (
    AxisInfo,
    constant_info,
    divisor_of_groups,
    join,
    unknown,
)
from weft.ir import arith, types
from weft.ir.builtin import Operation
from weft.ir.enums import CmpIPredicate

__all__ = ["TRANSFER_FUNCTIONS"]

_TransferFunction = Callable[[Operation, Sequence[AxisInfo]], AxisInfo]

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
# If a number divides a constant and the start of a run of that length, the whole run is on one
# side of the constant: less than it or not. So `run < constant` and its negation `>=` are
# constant along the run, and with the run on the right `constant > run` and `<=`.
_RUN_RIGHT = {CmpIPredicate.SGT, CmpIPredicate.UGT, CmpIPredicate.SLE, CmpIPredicate.ULE}
_RUN_LEFT = {CmpIPredicate.SLT, CmpIPredicate.ULT, CmpIPredicate.SGE, CmpIPredicate.UGE}


def _compare(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
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
    constancy: list[int] = []
    for d, size in enumerate(shape):
        group = gcd(a.constancy[d], b.constancy[d])
        # The other side has to be one number along the dimension, as a bound for the whole run.
        run = 1
        if predicate in _RUN_RIGHT and a.constancy[d] == size:
            run = b.contiguity[d]
        elif predicate in _RUN_LEFT and b.constancy[d] == size:
            run = a.contiguity[d]
        constancy.append(max(group, gcd(run, a.divisibility[d], b.divisibility[d])))
    return AxisInfo(ones, ones, tuple(constancy))


def _select(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    condition, a, b = infos
    if condition.constant is not None:
        return a if condition.constant else b
    if a.constant is not None and a.constant == b.constant:
        return constant_info(a.constant, op.results[0].type)
    either = join(a, b)
    if not types.is_tensor(op.operands[0].type):
        return either  # one condition for all elements
    # Inside a group of equal conditions all elements come from one side.
    inferred = tuple(map(gcd, either.contiguity, condition.constancy))
    contiguity = hinted_contiguity(op, inferred)
    divisibility = tuple(map(divisor_of_groups, either.contiguity, either.divisibility, contiguity))
    constancy = tuple(map(gcd, either.constancy, condition.constancy))
    return AxisInfo(inferred, divisibility, constancy)


_MAXIMA = (arith.MaxSIOp, arith.MaxUIOp)
_UNSIGNED_EXTREMA = (arith.MaxUIOp, arith.MinUIOp)


def _minimum_or_maximum(op: Operation, infos: Sequence[AxisInfo]) -> AxisInfo:
    """Join both sides: the extremum of two runs of one length is one of the two runs."""
    a, b = infos
    if a.constant is None or b.constant is None:
        either = join(a, b)
        return AxisInfo(either.contiguity, either.divisibility, either.constancy)
    pick = max if isinstance(op, _MAXIMA) else min
    bits = types.bit_width(op.results[0].type)
    unsigned = isinstance(op, _UNSIGNED_EXTREMA)
    value = pick(a.constant, b.constant, key=lambda n: n % (1 << bits) if unsigned else n)
    return constant_info(value, op.results[0].type)


TRANSFER_FUNCTIONS: dict[type[Operation], _TransferFunction] = {
    arith.CmpIOp: _compare,
    arith.SelectOp: _select,
    arith.MaxSIOp: _minimum_or_maximum,
    arith.MaxUIOp: _minimum_or_maximum,
    arith.MinSIOp: _minimum_or_maximum,
    arith.MinUIOp: _minimum_or_maximum,
}
