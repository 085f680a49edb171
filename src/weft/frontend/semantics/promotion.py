"""In which type two operands are combined.

    int32 + fp16 → fp16        a float wins over an integer
    bf16 + int32 → fp32        but bf16 stays only between two bf16
    fp16 / fp16  → fp32        a quotient of halves is taken in fp32
    int8 + 3     → int8        a Python number takes the type of the other operand …
    int8 + 3.0   → fp32        … unless it is of a higher kind: bool < int < float
    int32 + uint32 → uint32    of equal width the unsigned one, else the wider one

Checked pair by pair against Triton 3.7.1 in the tests.
"""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.language.dtypes import bfloat16, dtype, float16, float32, float64


def arithmetic_type(
    a: dtype, a_is_number: bool, b: dtype, b_is_number: bool, *, is_division: bool
) -> dtype:
    """Return the type in which an arithmetic operator combines elements of two types.

    Args: a, b: element types.  a_is_number, b_is_number: the operand is a Python number.
          is_division: the operator is /, // or %.
    Raises: TypeMismatchError where the two have no common type, or signs differ in a division.
    """
    if a_is_number != b_is_number:
        number, other = (a, b) if a_is_number else (b, a)
        if number.element_kind.value <= other.element_kind.value:
            return float32 if is_division and other in (float16, bfloat16) else other
    if a.is_floating() or b.is_floating():
        return _float_type(a, b, is_division)
    if is_division and a.is_int_signed() != b.is_int_signed():
        raise TypeMismatchError(
            "a division needs two integers of the same signedness",
            found=f"{a} and {b}",
            hint="convert one of them with .to(…)",
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
        "an 8-bit float and an integer have no common type",
        found=f"{a} and {b}",
        hint="convert one of them with .to(…)",
    )


def integer_type(a: dtype, b: dtype) -> dtype:
    """Return the common type of two integers: the wider one, of equal width the unsigned one.

    Raises: TypeMismatchError where one is no integer.
    """
    for operand in (a, b):
        if not operand.is_int():
            raise TypeMismatchError("integers expected", found=f"{a} and {b}")
    if a.primitive_bitwidth != b.primitive_bitwidth:
        return a if a.primitive_bitwidth > b.primitive_bitwidth else b
    return a if a.is_int_unsigned() else b
