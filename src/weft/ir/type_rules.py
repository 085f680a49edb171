"""Rules on the types of operands and results that several dialects share.

Each raises a `VerifyException` in MLIR's wording; `weft.ir.verifier` adds the operation's name:

    'arith.addi' op requires the same type for all operands and results
    'arith.addf' op operand #0 must be floating-point-like, but got 'i32'
"""

from __future__ import annotations

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.type_constraints import is_signless

__all__ = [
    "operand_name",
    "require_float",
    "require_integer",
    "require_same_element_type",
    "require_same_encoding",
    "require_same_shape",
    "require_same_type",
    "require_type",
]


def operand_name(op: Operation, value: SSAValue) -> str:
    """Name an operand of an operation in a message: "operand #0"; "result #0" for a result."""
    operands = list(op.operands)
    return f"operand #{operands.index(value)}" if value in operands else "result #0"


def require_type(holds: bool, value: str, description: str, type_: Attribute) -> None:
    """Require a type constraint.

    Args:
        holds: Whether the type satisfies it.
        value: The operand or result, such as "operand #0".
        description: The types that are accepted.
        type_: The type of the value.

    Raises:
        VerifyException: It does not hold.
    """
    if not holds:
        raise VerifyException(f"{value} must be {description}, but got '{type_}'")


def require_float(value: str, type_: Attribute) -> None:
    """Require a float, or a tensor of floats.

    Raises:
        VerifyException: The elements are no floats.
    """
    holds = types.is_float(types.element(type_))
    require_type(holds, value, "floating-point-like", type_)


def require_integer(
    value: str, type_: Attribute, description: str = "signless-integer-like"
) -> None:
    """Require an integer or index, or a tensor of them.

    Raises:
        VerifyException: The elements are neither.
    """
    scalar = types.element(type_)
    holds = is_signless(scalar) or scalar == types.index
    require_type(holds, value, description, type_)


def require_same_type(*listed: Attribute) -> None:
    """Require one type of all operands and results.

    Raises:
        VerifyException: They differ.
    """
    if any(type_ != listed[0] for type_ in listed):
        raise VerifyException("requires the same type for all operands and results")


def require_same_shape(*listed: Attribute) -> None:
    """Require one shape of all operands and results.

    Raises:
        VerifyException: They differ.
    """
    if any(types.shape(type_) != types.shape(listed[0]) for type_ in listed):
        raise VerifyException("requires the same shape for all operands and results")


def require_same_encoding(*listed: Attribute) -> None:
    """Require one layout encoding of all operands and results.

    Raises:
        VerifyException: They differ.
    """
    if any(types.encoding(type_) is not types.encoding(listed[0]) for type_ in listed):
        raise VerifyException("requires the same encoding for all operands and results")


def require_same_element_type(*listed: Attribute) -> None:
    """Require one element type of all operands and results.

    Raises:
        VerifyException: They differ.
    """
    if any(types.element(type_) != types.element(listed[0]) for type_ in listed):
        raise VerifyException("requires the same element type for all operands and results")
