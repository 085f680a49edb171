"""Comparisons and select."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number, difference_bounds
from weft.interpreter.divergence import uniform_condition
from weft.interpreter.dtypes import BOOL, dtype_of, is_small_float, unsigned
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.rounding import widen
from weft.interpreter.values import AffineTensor, Bundle, Value, dense
from weft.ir import arith, types
from weft.ir.enums import CmpFPredicate, CmpIPredicate

_COMPARE: dict[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _decide_by_bounds(relation: str, low: int, high: int) -> bool | None:
    """Decide `d relation 0` for all d in [low, high]; None if it differs."""
    match relation:
        case "lt" | "ge":
            less = True if high < 0 else False if low >= 0 else None
            return less if relation == "lt" or less is None else not less
        case "le" | "gt":
            less = True if high <= 0 else False if low > 0 else None
            return less if relation == "le" or less is None else not less
        case _:
            equal = True if low == high == 0 else False if high < 0 or low > 0 else None
            return equal if relation == "eq" or equal is None else not equal


@pure(arith.CmpIOp)
def cmpi(op: Operation) -> Evaluate:
    """Compare integers; affine tensors by their bounds if these decide."""
    keyword = CmpIPredicate.of(op.properties["predicate"]).keyword
    relation = keyword[-2:]
    compare = _COMPARE[relation]
    dtype = dtype_of(op.operands[0].type)
    ones = (1,) * (1 + len(types.shape(op.operands[0].type)))
    constants = {True: np.ones(ones, bool), False: np.zeros(ones, bool)}
    as_unsigned = keyword[0] == "u"
    if dtype == BOOL:
        if as_unsigned or relation in ("eq", "ne"):
            return lambda a, b: compare(a, b)
        return lambda a, b: compare(b, a)  # signed, the i1 true is -1: less than false
    view = unsigned(dtype) if as_unsigned else dtype

    def decide(a: Number, b: Number) -> np.ndarray:
        if (type(a) is AffineTensor or type(b) is AffineTensor) and not as_unsigned:
            bounds = difference_bounds(a, b)
            result = None if bounds is None else _decide_by_bounds(relation, *bounds)
            if result is not None:
                return constants[result]
        return compare(dense(a).view(view), dense(b).view(view))

    return decide


def _ordered(name: str) -> Evaluate:
    compare = _COMPARE[name]
    if name == "ne":
        return lambda a, b: (a != b) & (a == a) & (b == b)
    return compare


def _unordered(name: str) -> Evaluate:
    opposite = {"lt": np.greater_equal, "le": np.greater, "gt": np.less_equal, "ge": np.less}
    if name == "eq":
        return lambda a, b: (a == b) | (a != a) | (b != b)
    if name == "ne":
        return np.not_equal
    return lambda a, b: ~opposite[name](a, b)


_FLOAT: dict[str, Evaluate] = {
    "false": lambda a, b: np.zeros((1,) * a.ndim, bool),
    "true": lambda a, b: np.ones((1,) * a.ndim, bool),
    "ord": lambda a, b: (a == a) & (b == b),
    "uno": lambda a, b: (a != a) | (b != b),
    **{f"o{name}": _ordered(name) for name in _COMPARE},
    **{f"u{name}": _unordered(name) for name in _COMPARE},
}


@pure(arith.CmpFOp)
def cmpf(op: Operation) -> Evaluate:
    """Compare floats: ordered is false on NaN, unordered true."""
    f = _FLOAT[CmpFPredicate.of(op.properties["predicate"]).keyword]
    if is_small_float(dtype_of(op.operands[0].type)):
        return lambda a, b: f(widen(a), widen(b))
    return f


def choose(condition: np.ndarray, yes: Value, no: Value) -> Value:
    """Select `yes` where the condition is true, else `no`."""
    shared = True if condition.all() else uniform_condition(condition)
    if shared is not None:
        return yes if shared else no
    if isinstance(yes, Bundle) and isinstance(no, Bundle):
        return Bundle(choose(condition, a, b) for a, b in zip(yes, no, strict=True))
    a, b = dense(yes), dense(no)
    if a.dtype == BOOL:
        return (a & condition) | (b & ~condition)
    # By bits and a mask: np.where branches on each element, which is five times slower.
    bits = np.dtype(f"i{a.dtype.itemsize}")
    keep = condition.astype(bits)
    np.negative(keep, out=keep)
    x, y = a.view(bits), b.view(bits)
    return (y ^ ((x ^ y) & keep)).view(a.dtype)


@pure(arith.SelectOp)
def select(op: Operation) -> Evaluate:
    """Select by a condition, one for all elements or one for each."""
    rank = len(types.shape(op.results[0].type))
    if len(types.shape(op.operands[0].type)) == rank:
        return choose

    def select_all(condition: np.ndarray, yes: Value, no: Value) -> Value:
        return choose(condition.reshape(-1, *(1,) * rank), yes, no)

    return select_all
