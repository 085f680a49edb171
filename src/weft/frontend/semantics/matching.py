"""Bringing two operands of an operator to one type and one shape.

For example:

    a: block of fp16, b: the number 2   →   a, dense<2.0> : fp16
    a: block of int32, b: scalar fp32   →   sitofp a, splat b
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.casts import cast
from weft.frontend.semantics.constants import constant, is_number, number_type, to_value
from weft.frontend.semantics.promotion import arithmetic_type
from weft.frontend.semantics.shaping import broadcast
from weft.frontend.semantics.values import TensorValue, describe
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter


def matched(
    e: Emitter,
    a: Any,
    b: Any,
    *,
    is_division: bool = False,
    pointers: tuple[bool, bool] = (False, False),
    promotes: bool = True,
) -> tuple[TensorValue, TensorValue]:
    """Return two operands in their common type and shape.

    Args: a, b: values or Python numbers.  pointers: whether a, and b, may be pointers.
          promotes: whether to bring them to one element type.
    Raises: TypeMismatchError where they do not go together.
    """
    types = _type_of(a), _type_of(b)
    for type_, allowed, operand in zip(types, pointers, (a, b), strict=True):
        if type_.is_ptr() and not allowed:
            raise TypeMismatchError(
                "this operator does not take a pointer here",
                found=f"{_named(a)} and {_named(b)}",
                hint="a pointer may be added to an integer, loaded from and stored to; "
                f"{_named(operand)} can be cast to tl.int64",
            )
    if pointers != (False, False):
        _check_pointers(types, pointers)
    if promotes and not any(type_.is_ptr() for type_ in types):
        common = arithmetic_type(
            types[0], is_number(a), types[1], is_number(b), is_division=is_division
        )
        for operand in (a, b):
            _place_number(e, operand, common)
        return broadcast(e, _converted(e, a, common), _converted(e, b, common))
    return broadcast(e, to_value(e, a), to_value(e, b))


def _check_pointers(types: tuple[dtype, dtype], pointers: tuple[bool, bool]) -> None:
    a, b = types
    if a.is_ptr() and b.is_ptr() and a != b:
        raise TypeMismatchError("two pointers of different types", found=f"{a} and {b}")
    if (a.is_ptr() and b.is_floating()) or (b.is_ptr() and a.is_floating()):
        raise TypeMismatchError(
            "a pointer and a float do not go together",
            found=f"{a} and {b}",
            accepted=("an integer offset",),
        )


def _type_of(operand: Any) -> dtype:
    if isinstance(operand, TensorValue):
        return operand.dtype
    number = unwrap(operand)
    if isinstance(number, bool | int | float):
        return number_type(number)
    raise TypeMismatchError(
        "an operator takes numbers, scalars and blocks",
        found=describe(operand),
        accepted=("int", "float", "bool", "a value of the kernel"),
    )


def _named(operand: Any) -> str:
    return str(operand) if isinstance(operand, TensorValue) else str(unwrap(operand))


def _place_number(e: Emitter, operand: Any, common: dtype) -> None:
    """Emit a number in its own type too, where that is another one than the common type.

    Nothing uses it, but constants are later ordered by where they were first met, and Triton
    meets this one here.
    """
    number = unwrap(operand)
    if isinstance(number, bool | int | float) and number_type(number) != common:
        constant(e, number, number_type(number))


def _converted(e: Emitter, operand: Any, type_: dtype) -> TensorValue:
    """Return an operand in the common element type; a number is checked against its range."""
    if isinstance(operand, TensorValue):
        return cast(e, operand, type_)
    number = unwrap(operand)
    assert isinstance(number, bool | int | float)
    check_range(number, type_)
    return constant(e, number, type_)


def check_range(number: bool | int | float, type_: dtype) -> None:
    """Raise TypeMismatchError where an integer type cannot hold the number."""
    if not type_.is_int():
        return
    low, high = type_.get_int_min_value(), type_.get_int_max_value()
    if not low <= number <= high:
        raise TypeMismatchError(
            f"{number} does not fit in {type_}",
            found=number,
            accepted=(f"{low} to {high}",),
            hint="convert the other operand with .to(…)",
        )
