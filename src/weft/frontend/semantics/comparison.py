"""Comparisons: `<`, `==` and their like, on blocks and scalars.

A Python number takes part with the type that it has by itself (7 is an int32), not with that of
the other operand: a uint8 block compared with 300 is widened to int32 first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import UnsupportedError
from weft.frontend.semantics.constants import to_value
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.language import dtypes

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_PREDICATES: dict[str, tuple[CmpFPredicate, CmpIPredicate, CmpIPredicate]] = {
    "<": (CmpFPredicate.OLT, CmpIPredicate.SLT, CmpIPredicate.ULT),
    "<=": (CmpFPredicate.OLE, CmpIPredicate.SLE, CmpIPredicate.ULE),
    ">": (CmpFPredicate.OGT, CmpIPredicate.SGT, CmpIPredicate.UGT),
    ">=": (CmpFPredicate.OGE, CmpIPredicate.SGE, CmpIPredicate.UGE),
    "==": (CmpFPredicate.OEQ, CmpIPredicate.EQ, CmpIPredicate.EQ),
    "!=": (CmpFPredicate.UNE, CmpIPredicate.NE, CmpIPredicate.NE),
}
"""Operator: the predicate for floats, signed integers and unsigned integers."""


def compare(e: Emitter, op: str, a: Any, b: Any) -> TensorValue:
    """Compare element by element; the result is int1.

    Args: op: one of < <= > >= == !=.
    Raises: TypeMismatchError for pointers, UnsupportedError for another operator.
    """
    if op not in _PREDICATES:
        raise UnsupportedError(
            "a block cannot be compared this way", found=op, accepted=_PREDICATES
        )
    left, right = e.matched(to_value(e, a), to_value(e, b))
    for_floats, for_signed, for_unsigned = _PREDICATES[op]
    type_ = left.type.with_element_ty(dtypes.int1)
    operands = [left.handle, right.handle]
    if left.dtype.is_floating():
        predicate = {"predicate": for_floats.attr()}
        return TensorValue(
            e.builder.value(arith.CmpFOp, operands, ir_type(type_), predicate), type_
        )
    chosen = for_signed if left.dtype.is_int_signed() else for_unsigned
    predicate = {"predicate": chosen.attr()}
    return TensorValue(e.builder.value(arith.CmpIOp, operands, ir_type(type_), predicate), type_)
