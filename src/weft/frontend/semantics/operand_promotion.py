"""Conversion of the operands of a binary operator to a common type and shape.

fp16[8] and the number 2        →   fp16[8], dense<2.0> : fp16
int32[8] and a scalar fp32      →   sitofp of the block, splat of the scalar
"""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import constant, is_number, number_type, to_value
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.type_promotion import arithmetic_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir.locations import unknown
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype


def promote_operands(
    e: EmissionContext,
    a: Value,
    b: Value,
    *,
    is_division: bool = False,
    pointers: tuple[bool, bool] = (False, False),
    promotes: bool = True,
) -> tuple[TensorValue, TensorValue]:
    """Convert two operands to their common type and shape.

    Args:
        e: The emission context.
        a: A scalar, a block or a Python number.
        b: The other operand.
        is_division: Whether the operator is /, // or %.
        pointers: Whether a, and b, may be a pointer.
        promotes: Whether to convert the element types, too.

    Raises:
        TypeMismatchError: There is no common type or shape.
    """
    types = _operand_type(a), _operand_type(b)
    for type_, allowed, operand in zip(types, pointers, (a, b), strict=True):
        if type_.is_ptr() and not allowed:
            raise TypeMismatchError(
                f"invalid operands of type {types[0]} and {types[1]}",
                found=f"{_text(a)} and {_text(b)}",
                hint="a pointer can be added to an integer, loaded from and stored to; "
                f"cast {_text(operand)} to tl.int64 for other operators",
            )
    if pointers != (False, False):
        _check_pointers(types)
    if promotes and not any(type_.is_ptr() for type_ in types):
        common = arithmetic_type(
            types[0], is_number(a), types[1], is_number(b), is_division=is_division
        )
        for operand in (a, b):
            _emit_number_in_its_type(e, operand, common)
        return broadcast(e, _convert(e, a, common), _convert(e, b, common))
    return broadcast(e, to_value(e, a), to_value(e, b))


def _check_pointers(types: tuple[dtype, dtype]) -> None:
    a, b = types
    differ = a.is_ptr() and b.is_ptr() and a != b
    if differ or (a.is_ptr() and b.is_floating()) or (b.is_ptr() and a.is_floating()):
        raise TypeMismatchError(
            f"invalid operands of type {a} and {b}",
            found=f"{a} and {b}",
            accepted=("an integer offset", "two pointers of one type"),
        )


def _operand_type(operand: Value) -> dtype:
    if isinstance(operand, TensorValue):
        return operand.dtype
    number = unwrap(operand)
    if isinstance(number, bool | int | float):
        return number_type(number)
    raise TypeMismatchError(
        f"cannot convert {describe(operand)} to tensor",
        found=describe(operand),
        accepted=("int", "float", "bool", "a scalar", "a block"),
    )


def _text(operand: Value) -> str:
    return str(operand) if isinstance(operand, TensorValue) else str(unwrap(operand))


def _emit_number_in_its_type(e: EmissionContext, operand: Value, common: dtype) -> None:
    """Emit a number as a constant of the number's type, if that is not the common type.

    The constant has no uses. But constants are ordered by their first occurrence later, and Triton
    emits it here.
    """
    number = unwrap(operand)
    if isinstance(number, bool | int | float) and number_type(number) != common:
        constant(e, number, number_type(number))


def _convert(e: EmissionContext, operand: Value, type_: dtype) -> TensorValue:
    if isinstance(operand, TensorValue):
        return cast(e, operand, type_)
    number = unwrap(operand)
    assert isinstance(number, bool | int | float)
    check_range(number, type_)
    if number_type(number) != type_:
        return constant(e, number, type_)
    # Triton emits this constant twice; merging the two drops their location.
    location, e.builder.location = e.builder.location, unknown
    value = constant(e, number, type_)
    e.builder.location = location
    return value


def check_range(number: bool | int | float, type_: dtype) -> None:
    """Check that an integer type can represent a number.

    Raises:
        TypeMismatchError: It cannot.
    """
    if not type_.is_int():
        return
    low, high = type_.get_int_min_value(), type_.get_int_max_value()
    if not low <= number <= high:
        raise TypeMismatchError(
            f"scalar {number} is out of range for type {type_}",
            found=number,
            accepted=(f"{low} to {high}",),
            hint="convert the other operand with .to(…)",
        )
