"""Comparisons of two values of one type and shape."""

from __future__ import annotations

from weft.errors import UnsupportedError
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.language import dtypes

_PREDICATES: dict[str, tuple[CmpFPredicate, CmpIPredicate, CmpIPredicate]] = {
    "<": (CmpFPredicate.OLT, CmpIPredicate.SLT, CmpIPredicate.ULT),
    "<=": (CmpFPredicate.OLE, CmpIPredicate.SLE, CmpIPredicate.ULE),
    ">": (CmpFPredicate.OGT, CmpIPredicate.SGT, CmpIPredicate.UGT),
    ">=": (CmpFPredicate.OGE, CmpIPredicate.SGE, CmpIPredicate.UGE),
    "==": (CmpFPredicate.OEQ, CmpIPredicate.EQ, CmpIPredicate.EQ),
    "!=": (CmpFPredicate.UNE, CmpIPredicate.NE, CmpIPredicate.NE),
}
"""The predicates of an operator for floats, signed integers and unsigned integers."""


def check_operator(op: str) -> None:
    """Check that blocks can be compared with an operator.

    Raises:
        UnsupportedError: They cannot.
    """
    if op not in _PREDICATES:
        raise UnsupportedError(
            f"comparison operator {op} is not implemented for tensors",
            found=op,
            accepted=_PREDICATES,
        )


def compare(e: EmissionContext, op: str, left: TensorValue, right: TensorValue) -> TensorValue:
    """Emit an elementwise comparison; the result is int1.

    Args:
        e: The emission context.
        op: One of < <= > >= == !=.
        left: The left operand.
        right: The right operand, of the same type.
    """
    float_predicate, signed_predicate, unsigned_predicate = _PREDICATES[op]
    type_ = left.type.with_element_ty(dtypes.int1)
    handles = [left.handle, right.handle]
    if left.dtype.is_floating():
        properties = {"predicate": float_predicate.attr()}
        return TensorValue(
            e.builder.value(arith.CmpFOp, handles, ir_type(type_), properties), type_
        )
    predicate = signed_predicate if left.dtype.is_int_signed() else unsigned_predicate
    properties = {"predicate": predicate.attr()}
    handle = e.builder.value(arith.CmpIOp, handles, ir_type(type_), properties)
    return TensorValue(handle, type_)
