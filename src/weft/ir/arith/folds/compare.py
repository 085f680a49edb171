"""Folds of comparisons and selections.

cmpi sle, %x, %x              →  true
cmpi slt, %c, %x              →  cmpi sgt, %x, %c        (%c constant)
cmpi ne, (extui %p : i1), 0   →  %p
select %p, %x, %x             →  %x
select (cmpi eq, %x, %y), %x, %y  →  %y
"""

from __future__ import annotations

import math

from weft.ir import arith, types
from weft.ir.arith.folds.integer import swap_constant
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import (
    boolean_attribute,
    boolean_value,
    constant_attribute,
    float_value,
    integer_value,
    integer_width,
    unsigned,
)
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.rewriting import defining_op
from weft.ir.ub import PoisonOp

__all__ = ["FOLDS", "INVERSE"]

_I = CmpIPredicate
_TRUE_FOR_SAME = frozenset({_I.EQ, _I.SLE, _I.SGE, _I.ULE, _I.UGE})
_SWAPPED = {
    _I.EQ: _I.EQ, _I.NE: _I.NE, _I.SLT: _I.SGT, _I.SLE: _I.SGE, _I.SGT: _I.SLT,
    _I.SGE: _I.SLE, _I.ULT: _I.UGT, _I.ULE: _I.UGE, _I.UGT: _I.ULT, _I.UGE: _I.ULE,
}  # fmt: skip
INVERSE = {
    _I.EQ: _I.NE, _I.NE: _I.EQ, _I.SLT: _I.SGE, _I.SLE: _I.SGT, _I.SGT: _I.SLE,
    _I.SGE: _I.SLT, _I.ULT: _I.UGE, _I.ULE: _I.UGT, _I.UGT: _I.ULE, _I.UGE: _I.ULT,
}  # fmt: skip


def _compare_integers(predicate: CmpIPredicate, a: int, b: int, width: int) -> bool:
    if predicate.keyword[0] == "u":
        a, b = unsigned(a, width), unsigned(b, width)
    return {
        "eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
    }[predicate.keyword[-2:]]  # fmt: skip


def _cmpi(op: Operation) -> Folded:
    lhs, rhs = op.operands
    predicate = _I.of(op.properties["predicate"])
    if lhs is rhs:
        return boolean_attribute(predicate in _TRUE_FOR_SAME, op.results[0].type)
    right = integer_value(constant_attribute(rhs))
    if right is not None and (same := _compared_condition(lhs, predicate, right)) is not None:
        return same
    left = integer_value(constant_attribute(lhs))
    if left is not None and right is not None:
        value = _compare_integers(predicate, left, right, integer_width(lhs.type))
        return boolean_attribute(value, op.results[0].type)
    if swap_constant(op) is not None:
        op.properties["predicate"] = _SWAPPED[predicate].attr()
        return IN_PLACE
    return None


def _compared_condition(lhs: SSAValue, predicate: CmpIPredicate, right: int) -> Folded:
    """Find the i1 value that a comparison with 0 or 1 repeats."""
    if right == 0 and predicate is _I.NE:
        extension = defining_op(lhs, arith.ExtSIOp) or defining_op(lhs, arith.ExtUIOp)
        if extension is not None and extension.operands[0].type == types.i1:
            return extension.operands[0]
    if types.element(lhs.type) == types.i1:
        is_one = right != 0
        if (not is_one and predicate is _I.NE) or (is_one and predicate is _I.EQ):
            return lhs
    return None


_F = CmpFPredicate


def _compare_floats(predicate: CmpFPredicate, a: float, b: float) -> bool:
    name = predicate.keyword
    if name in ("false", "true"):
        return name == "true"
    unordered = math.isnan(a) or math.isnan(b)
    if name in ("ord", "uno"):
        return unordered == (name == "uno")
    if unordered:
        return name[0] == "u"
    return {
        "eq": a == b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b, "ne": a != b,
    }[name[1:]]  # fmt: skip


def _cmpf(op: Operation) -> Folded:
    """Compare scalar constants; like MLIR, do not fold tensors."""
    if types.is_tensor(op.results[0].type):
        return None
    lhs, rhs = (float_value(constant_attribute(operand)) for operand in op.operands)
    if lhs is None and rhs is not None and math.isnan(rhs):
        lhs = rhs
    if rhs is None and lhs is not None and math.isnan(lhs):
        rhs = lhs
    if lhs is None or rhs is None:
        return None
    predicate = _F.of(op.properties["predicate"])
    return boolean_attribute(_compare_floats(predicate, lhs, rhs), op.results[0].type)


def _select(op: Operation) -> Folded:
    condition, if_true, if_false = op.operands
    if if_true is if_false:
        return if_true
    constant = boolean_value(constant_attribute(condition))
    if constant is not None:
        return if_true if constant else if_false
    if defining_op(if_true, PoisonOp) is not None:
        return if_false
    if defining_op(if_false, PoisonOp) is not None:
        return if_true
    if op.results[0].type == types.i1:
        values = [boolean_value(constant_attribute(value)) for value in (if_true, if_false)]
        if values == [True, False]:
            return condition
    return _select_of_equality(condition, if_true, if_false)


def _select_of_equality(condition: SSAValue, if_true: SSAValue, if_false: SSAValue) -> Folded:
    """`select (cmpi eq, %x, %y), %x, %y  →  %y`."""
    comparison = defining_op(condition, arith.CmpIOp)
    if comparison is None:
        return None
    predicate = _I.of(comparison.properties["predicate"])
    lhs, rhs = comparison.operands
    same = (lhs is if_true and rhs is if_false) or (lhs is if_false and rhs is if_true)
    if not same or predicate not in (_I.EQ, _I.NE):
        return None
    return if_true if predicate is _I.NE else if_false


FOLDS: dict[type[Operation], Fold] = {
    arith.CmpIOp: _cmpi,
    arith.CmpFOp: _cmpf,
    arith.SelectOp: _select,
}
