"""The arithmetic operators: `+ - * / // %`, and minus.

What is emitted, by the types of the operands:

    pointer + int      tt.addptr (the offset of an unsigned type is widened to 64 bits first)
    int / int          both to fp32, then arith.divf
    fp16 / fp16        both to fp32, then arith.divf
    int // int         arith.divsi or divui, which rounds toward zero
    -x                 0 - x

Where overflow is checked, + - * of integers of fewer than 64 bits are done in 64 bits as well, and
what comes out is asserted to fit:

    n + m : i32        tt.assert %fits, "int32 overflow detected for operation add"; arith.addi
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import constant, is_number, to_value
from weft.frontend.semantics.promotion import integer_type
from weft.frontend.semantics.shaping import splat
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, attributes, tt
from weft.ir.operation import Op
from weft.language import dtypes

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

# operator: the operation for floats, that for integers, and how messages call it
_PLAIN: dict[str, tuple[type[Op], type[Op], str]] = {
    "+": (arith.AddFOp, arith.AddIOp, "add"),
    "-": (arith.SubFOp, arith.SubIOp, "sub"),
    "*": (arith.MulFOp, arith.MulIOp, "mul"),
}
_CHECKED_IN = 64  # bits


def same_type(e: Emitter, op: type[Op], *operands: TensorValue) -> TensorValue:
    """Emit an operation whose operands and result have one type."""
    first = operands[0]
    handles = [operand.handle for operand in operands]
    return TensorValue(e.builder.value(op, handles, first.handle.type), first.type)


def add(e: Emitter, a: Any, b: Any, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a + b, for numbers and for a pointer with an offset on either side."""
    if _is_pointer(a) or _is_pointer(b):
        return _offset_pointer(e, a, b)
    return _plain(e, "+", a, b, sanitize_overflow)


def sub(e: Emitter, a: Any, b: Any, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a - b, for numbers and for a pointer less an offset."""
    if _is_pointer(a):
        pointer, offset = e.matched(a, b, pointers=(True, False))
        return _offset_pointer(e, pointer, minus(e, offset))
    return _plain(e, "-", a, b, sanitize_overflow)


def mul(e: Emitter, a: Any, b: Any, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a * b."""
    return _plain(e, "*", a, b, sanitize_overflow)


def _plain(e: Emitter, op: str, a: Any, b: Any, sanitize_overflow: bool) -> TensorValue:
    left, right = e.matched(a, b)
    return _of_numbers(e, op, left, right, sanitize_overflow)


def _of_numbers(
    e: Emitter, op: str, left: TensorValue, right: TensorValue, sanitize_overflow: bool
) -> TensorValue:
    """Emit an operation on two values of one type that is no pointer."""
    for_floats, for_integers, name = _PLAIN[op]
    if left.dtype.is_floating():
        return same_type(e, for_floats, left, right)
    if sanitize_overflow and left.dtype.int_bitwidth < _CHECKED_IN:
        if e.options.sanitize_overflow:
            _require_fitting(e, for_integers, name, left, right)
        elif left.dtype.is_int_unsigned():
            _name_limits(e, left)
    return same_type(e, for_integers, left, right)


def _require_fitting(
    e: Emitter, op: type[Op], name: str, left: TensorValue, right: TensorValue
) -> None:
    """Assert that a result of integers of less than 64 bits fits their type."""
    kind, bits = left.dtype, left.dtype.int_bitwidth
    wide = same_type(e, op, cast(e, left, dtypes.int64), cast(e, right, dtypes.int64))
    sign = int(kind.is_int_signed())
    greatest = constant(e, (1 << (bits - sign)) - 1, dtypes.int64)
    least = constant(e, -(1 << (bits - 1)) if sign else 0, dtypes.int64)
    fits = e.binary("&", e.compare("<=", wide, greatest), e.compare(">=", wide, least))
    message = attributes.string(f"int{bits} overflow detected for operation {name}")
    e.builder.create(tt.AssertOp, [fits.handle], properties={"message": message})


def _name_limits(e: Emitter, like: TensorValue) -> None:
    """Make the constants that a check of unsigned numbers would compare with, and use them not.

    Triton's front end writes the comparisons of a check that is not asked for as well. They are
    dead, but a kernel that uses 0 or 0xFFFFFFFF of 64 bits later on shares their constants, which
    decides where these stand. (Nobody uses the limits of signed numbers so.)
    """
    for limit in ((1 << like.dtype.int_bitwidth) - 1, 0):
        bound = constant(e, limit, dtypes.int64)
        if like.is_block:
            e.broadcast_to(bound, like.shape)


def _is_pointer(value: Any) -> bool:
    return isinstance(value, TensorValue) and value.dtype.is_ptr()


def _offset_pointer(e: Emitter, a: Any, b: Any) -> TensorValue:
    if _is_pointer(a) and _is_pointer(b):
        raise TypeMismatchError(
            "two pointers cannot be added", found=f"{a} and {b}", accepted=("an integer offset",)
        )
    left, right = e.matched(a, b, pointers=(True, True))
    if right.dtype.is_ptr():
        left, right = right, left
    if right.dtype.is_int_unsigned() and right.dtype.primitive_bitwidth < 64:
        right = cast(e, right, dtypes.int64)
    return _addptr(e, left, right)


def _addptr(e: Emitter, pointer: TensorValue, offset: TensorValue) -> TensorValue:
    handles = [pointer.handle, offset.handle]
    return TensorValue(e.builder.value(tt.AddPtrOp, handles, pointer.handle.type), pointer.type)


def truediv(e: Emitter, a: Any, b: Any) -> TensorValue:
    """Emit a / b, in fp32 for integers and for floats of 16 bits."""
    left, right = e.matched(a, b, is_division=True)
    if left.dtype.is_int():
        left, right = cast(e, left, dtypes.float32), cast(e, right, dtypes.float32)
    return same_type(e, arith.DivFOp, left, right)


def floordiv(e: Emitter, a: Any, b: Any) -> TensorValue:
    """Emit a // b of integers, rounded toward zero.

    Raises: TypeMismatchError for floats.
    """
    left, right = e.matched(a, b, is_division=True)
    if not left.dtype.is_int():
        raise TypeMismatchError(
            "// takes integers",
            found=f"{_type_name(a)} // {_type_name(b)}",
            accepted=("two integers of the same signedness",),
            hint="use tl.floor(a / b) for floats",
        )
    common = integer_type(left.dtype, right.dtype)
    left, right = cast(e, left, common), cast(e, right, common)
    return same_type(e, arith.DivSIOp if common.is_int_signed() else arith.DivUIOp, left, right)


def mod(e: Emitter, a: Any, b: Any) -> TensorValue:
    """Emit a % b; the result has the sign of a, as in C."""
    left, right = e.matched(a, b, is_division=True)
    if left.dtype.is_floating():
        return same_type(e, arith.RemFOp, left, right)
    return same_type(e, arith.RemSIOp if left.dtype.is_int_signed() else arith.RemUIOp, left, right)


def _type_name(value: Any) -> str:
    return str(value.dtype) if isinstance(value, TensorValue) else str(value)


def minus(e: Emitter, value: Any) -> TensorValue:
    """Emit 0 - value.

    Raises: TypeMismatchError for a pointer.
    """
    operand = to_value(e, value)
    if operand.dtype.is_ptr():
        raise TypeMismatchError("a pointer has no negative", found=operand)
    zero = splat(e, constant(e, 0, operand.dtype), operand.shape)
    return _of_numbers(e, "-", zero, operand, True)


def plus(e: Emitter, value: Any) -> TensorValue:
    """Return the value itself.

    Raises: TypeMismatchError for a pointer.
    """
    operand = to_value(e, value)
    if operand.dtype.is_ptr():
        raise TypeMismatchError("unary plus takes a number", found=operand)
    return operand


def power(e: Emitter, a: Any, b: Any) -> TensorValue:
    """Raise: blocks have no `**`."""
    del e
    both = f"{_type_name(a)} ** {_type_name(b)}"
    raise TypeMismatchError(
        "** is for constants only",
        found=both,
        hint="multiply, or use tl.extra.libdevice.pow or tl.exp2(y * tl.log2(x))"
        if is_number(b)
        else "use tl.extra.libdevice.pow or tl.exp2(y * tl.log2(x))",
    )
