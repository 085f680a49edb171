"""The arithmetic operators `+ - * / // %`, and negation.

The operations that are emitted, by operand types:

    pointer + int      tt.addptr; an unsigned offset is extended to 64 bits first
    int / int          arith.divf in fp32
    fp16 / fp16        arith.divf in fp32
    int // int         arith.divsi or divui, rounded toward zero
    -x                 0 - x

With `sanitize_overflow`, + - * of integers narrower than 64 bits are also computed in 64 bits, to
assert that the result is in range:

    n + m : i32        tt.assert %in_range, "int32 overflow detected for operation add"; arith.addi
"""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.frontend.semantics import comparison
from weft.frontend.semantics.broadcasting import splat_like
from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import constant, is_number, to_value
from weft.frontend.semantics.elementwise import elementwise
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.operand_promotion import promote_operands
from weft.frontend.semantics.type_promotion import integer_type
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import arith, attributes, tt
from weft.ir.operation import Op
from weft.language import dtypes

# operator: (operation on floats, operation on integers, name in messages)
_OPERATIONS: dict[str, tuple[type[Op], type[Op], str]] = {
    "+": (arith.AddFOp, arith.AddIOp, "add"),
    "-": (arith.SubFOp, arith.SubIOp, "sub"),
    "*": (arith.MulFOp, arith.MulIOp, "mul"),
}
_CHECK_BITS = 64


def add(e: EmissionContext, a: Value, b: Value, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a + b, for numbers, and for a pointer and an offset in either order."""
    if _is_pointer(a) or _is_pointer(b):
        return _add_offset(e, a, b)
    return _promote_and_emit(e, "+", a, b, sanitize_overflow)


def sub(e: EmissionContext, a: Value, b: Value, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a - b, for numbers, and for a pointer and an offset."""
    if _is_pointer(a):
        pointer, offset = promote_operands(e, a, b, pointers=(True, False))
        return _add_offset(e, pointer, minus(e, offset))
    return _promote_and_emit(e, "-", a, b, sanitize_overflow)


def mul(e: EmissionContext, a: Value, b: Value, sanitize_overflow: bool = True) -> TensorValue:
    """Emit a * b."""
    return _promote_and_emit(e, "*", a, b, sanitize_overflow)


def _promote_and_emit(
    e: EmissionContext, op: str, a: Value, b: Value, sanitize_overflow: bool
) -> TensorValue:
    left, right = promote_operands(e, a, b)
    return _emit(e, op, left, right, sanitize_overflow)


def _emit(
    e: EmissionContext, op: str, left: TensorValue, right: TensorValue, sanitize_overflow: bool
) -> TensorValue:
    """Emit an operator on two numbers of one type and shape."""
    float_op, integer_op, name = _OPERATIONS[op]
    if left.dtype.is_floating():
        return elementwise(e, float_op, left, right)
    if sanitize_overflow and left.dtype.int_bitwidth < _CHECK_BITS:
        if e.options.sanitize_overflow:
            in_range = _is_in_range(e, integer_op, left, right)
            bits = left.dtype.int_bitwidth
            message = attributes.string(f"int{bits} overflow detected for operation {name}")
            e.builder.create(tt.AssertOp, [in_range.handle], properties={"message": message})
        elif left.dtype.is_int_unsigned():
            # Dead, but Triton emits it, and it determines the order of constants: a later
            # 0xFFFFFFFF of 64 bits is the limit. The constants of signed types are not shared.
            _is_in_range(e, integer_op, left, right)
    return elementwise(e, integer_op, left, right)


def _is_in_range(
    e: EmissionContext, op: type[Op], left: TensorValue, right: TensorValue
) -> TensorValue:
    """Check whether the result of an operation on integers is in the range of their type."""
    kind, bits = left.dtype, left.dtype.int_bitwidth
    wide = elementwise(e, op, cast(e, left, dtypes.int64), cast(e, right, dtypes.int64))
    sign_bits = int(kind.is_int_signed())
    maximum = constant(e, (1 << (bits - sign_bits)) - 1, dtypes.int64)
    minimum = constant(e, -(1 << (bits - 1)) if sign_bits else 0, dtypes.int64)
    not_above = comparison.compare(e, "<=", wide, splat_like(e, maximum, wide))
    not_below = comparison.compare(e, ">=", wide, splat_like(e, minimum, wide))
    return elementwise(e, arith.AndIOp, not_above, not_below)


def _is_pointer(value: Value) -> bool:
    return isinstance(value, TensorValue) and value.dtype.is_ptr()


def _add_offset(e: EmissionContext, a: Value, b: Value) -> TensorValue:
    if _is_pointer(a) and _is_pointer(b):
        raise TypeMismatchError(
            "cannot add pointers together", found=f"{a} and {b}", accepted=("an integer offset",)
        )
    left, right = promote_operands(e, a, b, pointers=(True, True))
    if right.dtype.is_ptr():
        left, right = right, left
    if right.dtype.is_int_unsigned() and right.dtype.primitive_bitwidth < 64:
        right = cast(e, right, dtypes.int64)
    handles = [left.handle, right.handle]
    return TensorValue(e.builder.value(tt.AddPtrOp, handles, left.handle.type), left.type)


def truediv(e: EmissionContext, a: Value, b: Value) -> TensorValue:
    """Emit a / b, in fp32 for integers and 16-bit floats."""
    left, right = promote_operands(e, a, b, is_division=True)
    if left.dtype.is_int():
        left, right = cast(e, left, dtypes.float32), cast(e, right, dtypes.float32)
    return elementwise(e, arith.DivFOp, left, right)


def floordiv(e: EmissionContext, a: Value, b: Value) -> TensorValue:
    """Emit a // b of integers, rounded toward zero.

    Raises:
        TypeMismatchError: The operands are floats.
    """
    left, right = promote_operands(e, a, b, is_division=True)
    if not left.dtype.is_int():
        raise TypeMismatchError(
            f"unexpected type {left.dtype}: // requires integers",
            found=f"{_type_name(a)} // {_type_name(b)}",
            accepted=("two integers of the same signedness",),
            hint="use tl.floor(a / b) for floats",
        )
    common = integer_type(left.dtype, right.dtype)
    left, right = cast(e, left, common), cast(e, right, common)
    return elementwise(e, arith.DivSIOp if common.is_int_signed() else arith.DivUIOp, left, right)


def mod(e: EmissionContext, a: Value, b: Value) -> TensorValue:
    """Emit a % b; the result has the sign of a, as in C."""
    left, right = promote_operands(e, a, b, is_division=True)
    if left.dtype.is_floating():
        return elementwise(e, arith.RemFOp, left, right)
    op = arith.RemSIOp if left.dtype.is_int_signed() else arith.RemUIOp
    return elementwise(e, op, left, right)


def _type_name(value: Value) -> str:
    return str(value.dtype) if isinstance(value, TensorValue) else str(value)


def minus(e: EmissionContext, value: Value) -> TensorValue:
    """Emit 0 - value.

    Raises:
        TypeMismatchError: The value is a pointer.
    """
    operand = to_value(e, value)
    if operand.dtype.is_ptr():
        raise TypeMismatchError(
            f"wrong type argument to unary minus ({operand.dtype})", found=operand
        )
    zero = splat_like(e, constant(e, 0, operand.dtype), operand)
    return _emit(e, "-", zero, operand, True)


def plus(e: EmissionContext, value: Value) -> TensorValue:
    """Return the value.

    Raises:
        TypeMismatchError: The value is a pointer.
    """
    operand = to_value(e, value)
    if operand.dtype.is_ptr():
        raise TypeMismatchError(
            f"wrong type argument to unary plus ({operand.dtype})", found=operand
        )
    return operand


def power(e: EmissionContext, a: Value, b: Value) -> TensorValue:
    """Raise TypeMismatchError: tensors have no operator **."""
    del e
    raise TypeMismatchError(
        "operator ** is not implemented for tensors",
        found=f"{_type_name(a)} ** {_type_name(b)}",
        accepted=("two compile-time constants",),
        hint="multiply, or use tl.extra.libdevice.pow or tl.exp2(y * tl.log2(x))"
        if is_number(b)
        else "use tl.extra.libdevice.pow or tl.exp2(y * tl.log2(x))",
    )
