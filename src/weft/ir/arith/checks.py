"""The checks that arithmetic operations share."""

from __future__ import annotations

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.operation import Op


def check_same(op: Op, *found: Attribute) -> None:
    """Require one type of operands and result.

    Raises: VerifyException: they differ; lists what was found.
    """
    if any(type_ != found[0] for type_ in found):
        listed = ", ".join(str(type_) for type_ in found)
        raise VerifyException(f"{op.name}: operands and result must have one type, found {listed}")


def check_element(op: Op, type_: Attribute, kind: str) -> None:
    """Require elements of a kind: "integer" (index included) or "float".

    Raises: VerifyException: they are of another kind.
    """
    scalar = types.element(type_)
    if kind == "float":
        fits = types.is_float(scalar)
    else:
        fits = types.is_integer(scalar) or scalar == types.index
    if not fits:
        raise VerifyException(f"{op.name}: {kind} elements expected, found {type_}")
