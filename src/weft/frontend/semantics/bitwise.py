"""The bitwise operators `& | ^ << >> ~`, and the logical operators `and or not`.

The operations that are emitted:

    int32 & int64      arith.andi of int64
    x >> y             arith.shrsi if x is signed, else arith.shrui
    ~x                 arith.xori of x and -1
    a and b            arith.andi of int1; both operands are evaluated
"""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast, splat_like
from weft.frontend.semantics.casts import bitcast
from weft.frontend.semantics.constants import constant, to_value
from weft.frontend.semantics.elementwise import elementwise
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.operand_promotion import promote_operands
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import arith
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.dtypes import dtype

_OPERATIONS: dict[str, type[Op]] = {
    "&": arith.AndIOp,
    "|": arith.OrIOp,
    "^": arith.XOrIOp,
    "<<": arith.ShLIOp,
}


def bitwise(e: EmissionContext, op: str, a: Value, b: Value) -> TensorValue:
    """Emit one of & | ^ << >> on integers.

    Raises:
        TypeMismatchError: An operand is not an integer.
    """
    left, right = _integer_operands(e, op, a, b)
    if op == ">>":
        # The signedness of the operand before promotion decides.
        operand = a if isinstance(a, TensorValue) else b
        is_signed = isinstance(operand, TensorValue) and operand.dtype.is_int_signed()
        return elementwise(e, arith.ShRSIOp if is_signed else arith.ShRUIOp, left, right)
    return elementwise(e, _OPERATIONS[op], left, right)


def _integer_operands(
    e: EmissionContext, op: str, a: Value, b: Value
) -> tuple[TensorValue, TensorValue]:
    for operand in (a, b):
        if isinstance(operand, TensorValue) and not operand.dtype.is_int():
            raise _not_integers(op, a, b, operand.dtype)
    left, right = promote_operands(e, a, b)
    if not left.dtype.is_int():
        raise _not_integers(op, left, right, left.dtype)
    return left, right


def _not_integers(op: str, a: Value, b: Value, type_: dtype) -> TypeMismatchError:
    operands = " and ".join(
        str(each.dtype) if isinstance(each, TensorValue) else describe(each) for each in (a, b)
    )
    return TypeMismatchError(
        f"invalid operands of type {operands}: {op} requires integers",
        found=type_,
        accepted=("int1 to int64", "uint8 to uint64"),
        hint="take the bits with .to(tl.int32, bitcast=True)" if type_.is_floating() else None,
    )


def invert(e: EmissionContext, value: Value) -> TensorValue:
    """Emit ~value.

    Raises:
        TypeMismatchError: The value is a float or a pointer.
    """
    operand = to_value(e, value)
    if not operand.dtype.is_int():
        raise TypeMismatchError(
            f"wrong type argument to unary invert ({operand.dtype})",
            found=operand,
            accepted=("an integer",),
        )
    ones = splat_like(e, constant(e, -1, operand.dtype), operand)
    return elementwise(e, arith.XOrIOp, operand, ones)


def logical(e: EmissionContext, op: str, a: Value, b: Value) -> TensorValue:
    """Emit `a and b` or `a or b` of int1 values.

    Raises:
        TypeMismatchError: A value is not int1.
    """
    left, right = broadcast(e, to_value(e, a), to_value(e, b))
    left, right = _int1(e, left, op), _int1(e, right, op)
    return elementwise(e, arith.AndIOp if op == "and" else arith.OrIOp, left, right)


def logical_not(e: EmissionContext, value: Value) -> TensorValue:
    """Emit `not value` of an int1 value.

    Raises:
        TypeMismatchError: The value is not int1.
    """
    return invert(e, _int1(e, to_value(e, value), "not"))


def _int1(e: EmissionContext, value: TensorValue, op: str) -> TensorValue:
    if value.dtype.primitive_bitwidth != 1 or value.dtype.is_ptr():
        raise TypeMismatchError(
            f"`{op}` requires boolean operands",
            found=value,
            accepted=("int1",),
            hint="compare with zero: x != 0",
        )
    return bitcast(e, value, dtypes.int1)
