"""`triton.language.semantic`: an error; other names say what to use instead."""

from __future__ import annotations

from weft.compat.unsupported import unsupported_names
from weft.errors import TypeMismatchError

__all__ = ["IncompatibleTypeErrorImpl"]


class IncompatibleTypeErrorImpl(TypeMismatchError):
    """Operands of types that an operation does not combine.

    Attributes:
        type_a: The type of one operand.
        type_b: The type of the other one.
    """

    def __init__(self, type_a: object, type_b: object) -> None:
        super().__init__(f"invalid operands of type {type_a!r} and {type_b!r}")
        self.type_a, self.type_b = type_a, type_b

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.type_a, self.type_b)


__getattr__ = unsupported_names(
    "triton.language.semantic",
    "the front end passes an object with these methods as _semantic to functions of "
    "tl.core.builtin",
)
