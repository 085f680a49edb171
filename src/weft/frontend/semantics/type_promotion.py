"""The common type of the operands of an arithmetic operator.

    int32 + fp16 → fp16        a float type over an integer type
    bf16 + int32 → fp32        bf16 only for two bf16 operands
    fp16 / fp16  → fp32        16-bit floats are divided in fp32
    int8 + 3     → int8        a Python number takes the type of the other operand …
    int8 + 3.0   → fp32        … unless its kind is higher: bool < int < float
    int32 + uint32 → uint32    the wider integer type; of equal width the unsigned one

The tests compare every pair with Triton 3.7.1.
"""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.language.dtypes import bfloat16, dtype, float16, float32, float64


def arithmetic_type(
    a: dtype, a_is_number: bool, b: dtype, b_is_number: bool, *, is_division: bool
) -> dtype:
    """Return the common type of two operands.

    Args:
        a: The element type of the first operand.
        a_is_number: Whether it is a Python number.
        b: The element type of the second operand.
        b_is_number: Whether it is a Python number.
        is_division: Whether the operator is /, // or %.

    Raises:
        TypeMismatchError: There is no common type, or the signedness of a division's operands
            differs.
    """
    if a_is_number != b_is_number:
        number, other = (a, b) if a_is_number else (b, a)
        if number.element_kind.value <= other.element_kind.value:
            return float32 if is_division and other in (float16, bfloat16) else other
    if a.is_floating() or b.is_floating():
        return _float_type(a, b, is_division)
    if is_division and a.is_int_signed() != b.is_int_signed():
        raise TypeMismatchError(
            f"Cannot use /, //, or % with {a} and {b} because they have different signedness",
            found=f"{a} and {b}",
            hint="cast them to the same signedness with .to(…)",
        )
    return integer_type(a, b)


def _float_type(a: dtype, b: dtype, is_division: bool) -> dtype:
    pair = (a, b)
    for wide in (float64, float32):
        if wide in pair:
            return wide
    if float16 in pair:
        return float32 if is_division else float16
    if bfloat16 in pair:
        return bfloat16 if a == b and not is_division else float32
    if a.is_fp8() and b.is_fp8():
        return a if a == b else float16
    raise TypeMismatchError(
        f"unexpected type {a} and {b}",
        found=f"{a} and {b}",
        hint="an 8-bit float and an integer have no common type: convert one of them with .to(…)",
    )


def integer_type(a: dtype, b: dtype) -> dtype:
    """Return the common type of two integer types.

    Raises:
        TypeMismatchError: One is not an integer type.
    """
    for operand in (a, b):
        if not operand.is_int():
            raise TypeMismatchError("expected integer types", found=f"{a} and {b}")
    if a.primitive_bitwidth != b.primitive_bitwidth:
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    return a if a.is_int_unsigned() else b
