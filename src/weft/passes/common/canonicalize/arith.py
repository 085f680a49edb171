"""Patterns of arith: rewrites that create operations, which a fold must not do.

addi (addi %x, 1), 2                 →  addi %x, 3               (scalars)
select (xori %c, true), %a, %b       →  select %c, %b, %a
select %c, 1, 0                      →  extui %c
andi (extsi %a), (extsi %b)          →  extsi (andi %a, %b)
cmpi eq, (extsi %a), (extsi %b)      →  cmpi eq, %a, %b
xori (cmpi slt, %a, %b), true        →  cmpi sge, %a, %b
"""

from __future__ import annotations

from weft.ir import arith, types
from weft.ir.arith.folds.compare import INVERSE
from weft.ir.bit_enums import FlagsAttr
from weft.ir.builtin import IntegerAttr, Operation, SSAValue
from weft.ir.constants import (
    boolean_attribute,
    constant_attribute,
    integer_attribute,
    integer_value,
    integer_width,
)
from weft.ir.enums import CmpIPredicate
from weft.ir.locations import LocationAttr, fuse
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize.arith_compare_casts import compare_with_constant
from weft.passes.rewrite.greedy import Pattern, PatternTable
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _scalar_constant(value: SSAValue) -> int | None:
    """Read a scalar integer constant, None for splats and other values."""
    attribute = constant_attribute(value)
    return integer_value(attribute) if type(attribute) is IntegerAttr else None


def _fused(*ops: Operation | None) -> LocationAttr:
    """Fuse the locations of matched operations, the root first.

    If an inner operation has a constant operand, MLIR fuses the location of the constant in its
    place.
    """
    return fuse(*(op.location for op in ops if op is not None))


def _common_flags(*ops: Operation) -> FlagsAttr:
    """Intersect the overflow flags of operations."""
    flags: list[tuple[str, ...]] = []
    for op in ops:
        attribute = op.properties["overflowFlags"]
        assert isinstance(attribute, FlagsAttr)
        flags.append(attribute.data)
    enum, *names = flags[0]
    return FlagsAttr((enum, *(name for name in names if all(name in other for other in flags))))


def _merge_constants(inner: type[Operation]) -> Pattern:
    """Merge the constants of `outer (inner %x, c1), c2` for addi, subi and muli."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        for index, other in ((0, 1), (1, 0)):
            inner_op = defining_op(operand_at(op, index), inner)
            constant = _scalar_constant(operand_at(op, other))
            if inner_op is None or constant is None:
                continue
            if index == 1 and not isinstance(op, arith.SubIOp):
                continue
            merged = _merge(op, inner_op, constant, index)
            if merged is not None:
                _replace_merged(op, inner_op, merged, rewriter)
                return True
        return False

    return pattern


Merged = tuple[type[Operation], SSAValue, int, bool]
"""(class, variable operand, constant operand, whether the constant is the left operand)."""


def _merge(op: Operation, inner: Operation, constant: int, index: int) -> Merged | None:
    """Merge two operations with a constant each, None if their classes do not combine.

    Args:
        op: The outer operation.
        inner: The operation that defines operand `index` of `op`.
        constant: The other operand of `op`.
        index: 0 or 1.
    """
    first, second = inner.operands
    left, right = _scalar_constant(first), _scalar_constant(second)
    kinds = (type(op), type(inner))
    if right is not None:
        match kinds:
            case (arith.AddIOp, arith.AddIOp):
                return arith.AddIOp, first, right + constant, False
            case (arith.AddIOp, arith.SubIOp):
                return arith.AddIOp, first, constant - right, False
            case (arith.MulIOp, arith.MulIOp):
                return arith.MulIOp, first, right * constant, False
            case (arith.SubIOp, arith.AddIOp):
                if index == 0:
                    return arith.AddIOp, first, right - constant, False
                return arith.SubIOp, first, constant - right, True
            case (arith.SubIOp, arith.SubIOp):
                if index == 0:
                    return arith.SubIOp, first, right + constant, False
                return arith.SubIOp, first, constant + right, True
            case _:
                return None
    if left is not None:
        match kinds:
            case (arith.AddIOp, arith.SubIOp):
                return arith.SubIOp, second, left + constant, True
            case (arith.SubIOp, arith.SubIOp):
                if index == 0:
                    return arith.SubIOp, second, left - constant, True
                return arith.AddIOp, second, constant - left, False
            case _:
                return None
    return None


def _replace_merged(op: Operation, inner: Operation, merged: Merged, rewriter: Rewriter) -> None:
    cls, variable, number, constant_first = merged
    type_ = op.results[0].type
    location = _fused(op, *(defining_op(operand, arith.ConstantOp) for operand in inner.operands))
    constant = rewriter.constant(integer_attribute(number, type_), type_, op, location)
    operands = (constant, variable) if constant_first else (variable, constant)
    flags = {"overflowFlags": _common_flags(op, inner)}
    new_op = rewriter.create(cls, operands, (type_,), flags, before=op, location=location)
    rewriter.replace(op, new_op.results)


def _add_negated(op: Operation, rewriter: Rewriter) -> bool:
    """`addi %x, (muli %y, -1)  →  subi %x, %y`, in either order."""
    lhs, rhs = op.operands
    for product, other in ((rhs, lhs), (lhs, rhs)):
        negation = defining_op(product, arith.MulIOp)
        if negation is not None and integer_value(constant_attribute(negation.operands[1])) == -1:
            type_ = op.results[0].type
            new_op = rewriter.create(
                arith.SubIOp,
                (other, negation.operands[0]),
                (type_,),
                before=op,
                location=_fused(op, defining_op(negation.operands[1])),
            )
            rewriter.replace(op, new_op.results)
            return True
    return False


def _sub_of_sub(op: Operation, rewriter: Rewriter) -> bool:
    """`subi (subi %a, %b), %a  →  subi 0, %b`."""
    lhs, rhs = op.operands
    inner = defining_op(lhs, arith.SubIOp)
    if inner is None or inner.operands[0] is not rhs:
        return False
    type_ = op.results[0].type
    location = _fused(op, inner)
    zero = rewriter.constant(integer_attribute(0, type_), type_, op, location)
    flags = {"overflowFlags": _common_flags(op, inner)}
    operands = (zero, inner.operands[1])
    new_op = rewriter.create(arith.SubIOp, operands, (type_,), flags, before=op, location=location)
    rewriter.replace(op, new_op.results)
    return True


def _bitwise_of_extensions(cast: type[Operation]) -> Pattern:
    """`andi (extsi %a), (extsi %b)  →  extsi (andi %a, %b)`."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        first, second = (defining_op(operand, cast) for operand in op.operands)
        if first is None or second is None:
            return False
        a, b = first.operands[0], second.operands[0]
        if a.type != b.type:
            return False
        location, type_ = _fused(op, first, second), op.results[0].type
        narrow = rewriter.create(type(op), (a, b), (a.type,), before=op, location=location)
        new_op = rewriter.create(cast, narrow.results, (type_,), before=op, location=location)
        rewriter.replace(op, new_op.results)
        return True

    return pattern


def _not_of_compare(op: Operation, rewriter: Rewriter) -> bool:
    """`xori (cmpi slt, %a, %b), true  →  cmpi sge, %a, %b`."""
    comparison = defining_op(op.operands[0], arith.CmpIOp)
    if comparison is None or op.results[0].type != types.i1 or not _scalar_constant(op.operands[1]):
        return False
    predicate = INVERSE[CmpIPredicate.of(comparison.properties["predicate"])]
    properties = {"predicate": predicate.attr()}
    operands = tuple(comparison.operands)
    location = _fused(op, comparison)
    new_op = rewriter.create(
        arith.CmpIOp, operands, (types.i1,), properties, before=op, location=location
    )
    rewriter.replace(op, new_op.results)
    return True


def _compare_extensions(cast: type[Operation]) -> Pattern:
    """`cmpi eq, (extsi %a), (extsi %b)  →  cmpi eq, %a, %b`; ne too."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        predicate = CmpIPredicate.of(op.properties["predicate"])
        first, second = (defining_op(operand, cast) for operand in op.operands)
        if first is None or second is None or predicate not in (CmpIPredicate.EQ, CmpIPredicate.NE):
            return False
        a, b = first.operands[0], second.operands[0]
        if a.type != b.type:
            return False
        new_op = rewriter.create(
            arith.CmpIOp,
            (a, b),
            (op.results[0].type,),
            op.properties,
            before=op,
            location=_fused(op, first, second),
        )
        rewriter.replace(op, new_op.results)
        return True

    return pattern


def _merge_casts(
    outer: type[Operation], inner: type[Operation], result: type[Operation]
) -> Pattern:
    """`outer (inner %x)  →  result %x`."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        inner_op = defining_op(operand_at(op, 0), inner)
        if inner_op is None:
            return False
        source, target = inner_op.operands[0], op.results[0].type
        if outer is arith.TruncIOp and integer_width(source.type) >= integer_width(target):
            return False
        location = _fused(op, inner_op)
        new_op = rewriter.create(result, (source,), (target,), before=op, location=location)
        rewriter.replace(op, new_op.results)
        return True

    return pattern


def _trunc_of_signed_shift(op: Operation, rewriter: Rewriter) -> bool:
    """`trunci (shrsi %x, bits dropped)  →  trunci (shrui %x, bits dropped)`."""
    shift = defining_op(op.operands[0], arith.ShRSIOp)
    if shift is None:
        return False
    source, amount = shift.operands
    constant = constant_attribute(amount)
    result = op.results[0].type
    dropped_bits = integer_width(source.type) - integer_width(result)
    if constant is None or integer_value(constant) != dropped_bits:
        return False
    # Like MLIR, create a new constant: this decides the order of constants.
    location = _fused(op, defining_op(amount))
    amount = rewriter.constant(constant, amount.type, op, location)
    unsigned = rewriter.create(
        arith.ShRUIOp, (source, amount), (source.type,), before=op, location=location
    )
    new_op = rewriter.create(
        arith.TruncIOp, unsigned.results, (result,), before=op, location=location
    )
    rewriter.replace(op, new_op.results)
    return True


def _both_negated(op: Operation, rewriter: Rewriter) -> bool:
    """`mulf (negf %x), (negf %y)  →  mulf %x, %y`; divf too."""
    first, second = (defining_op(operand, arith.NegFOp) for operand in op.operands)
    if first is None or second is None:
        return False
    operands = (first.operands[0], second.operands[0])
    new_op = rewriter.create(
        type(op),
        operands,
        (op.results[0].type,),
        op.properties,
        before=op,
        location=_fused(op, first, second),
    )
    rewriter.replace(op, new_op.results)
    return True


# ----------------------------------------------------------------------------------------- select
def _select_same_condition(op: Operation, rewriter: Rewriter) -> bool:
    """`select %c, %a, (select %c, %b, %d)  →  select %c, %a, %d`, and on the true side."""
    condition, if_true, if_false = op.operands
    inner = defining_op(if_false, arith.SelectOp)
    if inner is not None and inner.operands[0] is condition:
        operands = (condition, if_true, inner.operands[2])
        return _replace_select(op, operands, _fused(op, inner), rewriter)
    inner = defining_op(if_true, arith.SelectOp)
    if inner is not None and inner.operands[0] is condition:
        operands = (condition, inner.operands[1], if_false)
        return _replace_select(op, operands, _fused(op, inner), rewriter)
    return False


def _replace_select(
    op: Operation, operands: tuple[SSAValue, ...], location: LocationAttr, rewriter: Rewriter
) -> bool:
    types_ = (op.results[0].type,)
    new_op = rewriter.create(arith.SelectOp, operands, types_, before=op, location=location)
    rewriter.replace(op, new_op.results)
    return True


def _select_not(op: Operation, rewriter: Rewriter) -> bool:
    """`select (xori %c, true), %a, %b  →  select %c, %b, %a`."""
    condition, if_true, if_false = op.operands
    negation = defining_op(condition, arith.XOrIOp)
    if negation is None or not _scalar_constant(negation.operands[1]):
        return False
    location = _fused(op, defining_op(negation.operands[1]))
    return _replace_select(op, (negation.operands[0], if_false, if_true), location, rewriter)


def _negate(condition: SSAValue, op: Operation, rewriter: Rewriter) -> SSAValue:
    type_ = condition.type
    one = rewriter.constant(boolean_attribute(True, type_), type_, op)
    return rewriter.create(arith.XOrIOp, (condition, one), (type_,), before=op).results[0]


def _select_constants(op: Operation, rewriter: Rewriter) -> bool:
    """`select %c, false, true → xori %c, true`; `select %c, 1, 0 → extui %c`."""
    condition, if_true, if_false = op.operands
    yes, no, type_ = _scalar_constant(if_true), _scalar_constant(if_false), op.results[0].type
    if yes is None or no is None or condition.type != types.i1:
        return False
    if type_ == types.i1:
        if yes == 0 and no != 0:
            rewriter.replace(op, (_negate(condition, op, rewriter),))
            return True
        return False
    if (yes, no) == (0, 1):
        condition = _negate(condition, op, rewriter)
    elif (yes, no) != (1, 0):
        return False
    new_op = rewriter.create(arith.ExtUIOp, (condition,), (type_,), before=op)
    rewriter.replace(op, new_op.results)
    return True


_BITWISE = (_bitwise_of_extensions(arith.ExtSIOp), _bitwise_of_extensions(arith.ExtUIOp))

PATTERNS: PatternTable = {
    arith.AddIOp: (
        _merge_constants(arith.AddIOp),
        _merge_constants(arith.SubIOp),
        _add_negated,
    ),
    arith.SubIOp: (
        _merge_constants(arith.AddIOp),
        _merge_constants(arith.SubIOp),
        _sub_of_sub,
    ),
    arith.MulIOp: (_merge_constants(arith.MulIOp),),
    arith.AndIOp: _BITWISE,
    arith.OrIOp: _BITWISE,
    arith.XOrIOp: (_not_of_compare, *_BITWISE),
    arith.CmpIOp: (_compare_extensions(arith.ExtSIOp), _compare_extensions(arith.ExtUIOp)),
    arith.CmpFOp: (compare_with_constant,),
    arith.ExtSIOp: (_merge_casts(arith.ExtSIOp, arith.ExtUIOp, arith.ExtUIOp),),
    arith.TruncIOp: (
        _merge_casts(arith.TruncIOp, arith.ExtSIOp, arith.ExtSIOp),
        _merge_casts(arith.TruncIOp, arith.ExtUIOp, arith.ExtUIOp),
        _trunc_of_signed_shift,
    ),
    arith.TruncFOp: (
        _merge_casts(arith.TruncFOp, arith.SIToFPOp, arith.SIToFPOp),
        _merge_casts(arith.TruncFOp, arith.UIToFPOp, arith.UIToFPOp),
    ),
    arith.BitcastOp: (_merge_casts(arith.BitcastOp, arith.BitcastOp, arith.BitcastOp),),
    arith.MulFOp: (_both_negated,),
    arith.DivFOp: (_both_negated,),
    arith.SelectOp: (_select_same_condition, _select_not, _select_constants),
}
