"""The operators on bits, `& | ^ << >> ~`, and the logical ones, `and or not`.

What is emitted:

    int32 & int64      both to int64
    x >> y             arith.shrsi where x is signed, else arith.shrui
    ~x                 x ^ -1
    a and b            arith.andi of int1; both sides are computed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.arithmetic import same_type
from weft.frontend.semantics.casts import bitcast
from weft.frontend.semantics.constants import constant, to_value
from weft.frontend.semantics.shaping import broadcast, splat
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith
from weft.ir.operation import Op
from weft.language import dtypes

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_OPERATIONS: dict[str, type[Op]] = {
    "&": arith.AndIOp,
    "|": arith.OrIOp,
    "^": arith.XOrIOp,
    "<<": arith.ShLIOp,
}


def bitwise(e: Emitter, op: str, a: Any, b: Any) -> TensorValue:
    """Emit one of & | ^ << >> on integers.

    Raises: TypeMismatchError for anything else.
    """
    left, right = _integers(e, op, a, b)
    if op == ">>":
        # the sign is that of the operand as written, not of the common type
        written = a if isinstance(a, TensorValue) else b
        return same_type(
            e, arith.ShRSIOp if written.dtype.is_int_signed() else arith.ShRUIOp, left, right
        )
    return same_type(e, _OPERATIONS[op], left, right)


def _integers(e: Emitter, op: str, a: Any, b: Any) -> tuple[TensorValue, TensorValue]:
    for operand in (a, b):
        found = operand.dtype if isinstance(operand, TensorValue) else None
        if found is not None and not found.is_int():
            raise TypeMismatchError(
                f"{op} takes integers",
                found=found,
                accepted=("int1 to int64", "uint8 to uint64"),
                hint="take the bits with .to(tl.int32, bitcast=True)"
                if found.is_floating()
                else None,
            )
    left, right = e.matched(a, b)
    if not left.dtype.is_int():
        raise TypeMismatchError(
            f"{op} takes integers", found=left.dtype, accepted=("int1 to int64", "uint8 to uint64")
        )
    return left, right


def invert(e: Emitter, value: Any) -> TensorValue:
    """Emit ~value: the exclusive or with all bits set.

    Raises: TypeMismatchError for a float or a pointer.
    """
    operand = to_value(e, value)
    if not operand.dtype.is_int():
        raise TypeMismatchError("~ takes an integer", found=operand, accepted=("an integer",))
    ones = splat(e, constant(e, -1, operand.dtype), operand.shape)
    return same_type(e, arith.XOrIOp, operand, ones)


def logical(e: Emitter, op: str, a: Any, b: Any) -> TensorValue:
    """Emit `a and b` or `a or b` of int1 values.

    Raises: TypeMismatchError for wider values.
    """
    left, right = broadcast(e, to_value(e, a), to_value(e, b))
    left, right = truth_value(e, left, op), truth_value(e, right, op)
    return same_type(e, arith.AndIOp if op == "and" else arith.OrIOp, left, right)


def logical_not(e: Emitter, value: Any) -> TensorValue:
    """Emit `not value` of an int1 value.

    Raises: TypeMismatchError for a wider value.
    """
    return invert(e, truth_value(e, to_value(e, value), "not"))


def truth_value(e: Emitter, value: TensorValue, op: str) -> TensorValue:
    """Return an int1 value as it is.

    Raises: TypeMismatchError for another type.
    """
    if value.dtype.primitive_bitwidth != 1 or value.dtype.is_ptr():
        raise TypeMismatchError(
            f"`{op}` takes truth values",
            found=value,
            accepted=("int1",),
            hint="compare with zero: x != 0",
        )
    return bitcast(e, value, dtypes.int1)
