"""Constraints on the types of operands and results, declared where an operation is defined.

    alloc = operand_def(MEMDESC)
    pred = opt_operand_def(I1)

xDSL checks them; `violated_declaration` words what it finds as MLIR does:

    operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR
    type system, but got 'i32'
    requires attribute 'count'
    attribute 'count' failed to satisfy constraint: 32-bit signless integer attribute

Source of the descriptions: the TableGen definitions of Triton's types, as Triton 3.7.1 prints them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    IRDLOperation,
    OperandDef,
    OptionalDef,
    OptPropertyDef,
    ResultDef,
    VariadicDef,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.operation import OPTIONALS

__all__ = [
    "BOOL_TENSOR",
    "FP_INT_TENSOR",
    "I1",
    "I16",
    "I32",
    "I32_TENSOR",
    "I64",
    "INDEX_TENSOR",
    "POINTER",
    "POINTER_TENSOR",
    "POINTER_TYPE",
    "RANKED_TENSOR",
    "TENSOR",
    "TENSOR_DESCRIPTOR",
    "TypeConstraint",
    "ranked_tensor_of",
    "signless_integer",
    "violated_declaration",
]


@dataclass(frozen=True)
class TypeConstraint(AttrConstraint[Attribute]):
    """Accept the types that fulfil a predicate.

    Attributes:
        description: The types, in MLIR's words: "operand #0 must be …".
        accepts: The predicate.
    """

    description: str
    accepts: Callable[[Attribute], bool]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.accepts(attr):
            raise VerifyException(f"must be {self.description}, but got '{attr}'")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[Attribute]:
        return self


def signless_integer(*widths: int) -> Callable[[Attribute], bool]:
    """Build a predicate: a signless integer of one of the widths."""
    accepted = {IntegerType(width) for width in widths}
    return lambda type_: type_ in accepted


def ranked_tensor_of(description: str, element: Callable[[Attribute], bool]) -> TypeConstraint:
    """Build a constraint: a ranked tensor whose elements fulfil a predicate."""

    def accepts(type_: Attribute) -> bool:
        return types.is_tensor(type_) and element(type_.element_type)

    return TypeConstraint(f"ranked tensor of {description} values", accepts)


_FLOATS = frozenset(
    (
        types.f8E4M3FN,
        types.f8E4M3FNUZ,
        types.f8E5M2,
        types.f8E5M2FNUZ,
        types.f16,
        types.bf16,
        types.f32,
        types.f64,
    )
)
_is_integer = signless_integer(1, 4, 8, 16, 32, 64)


def _is_number(type_: Attribute) -> bool:
    return type_ in _FLOATS or _is_integer(type_)


I1 = TypeConstraint("1-bit signless integer", signless_integer(1))
I16 = TypeConstraint("16-bit signless integer", signless_integer(16))
I32 = TypeConstraint("32-bit signless integer", signless_integer(32))
I64 = TypeConstraint("64-bit signless integer", signless_integer(64))
POINTER = TypeConstraint("ptr", types.is_pointer)
POINTER_TYPE = TypeConstraint(
    "Pointer type (`::mlir::triton::PointerType`) in Triton IR type system", types.is_pointer
)
TENSOR_DESCRIPTOR = TypeConstraint(
    "Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system",
    lambda type_: isinstance(type_, types.TensorDescType),
)
INDEX_TENSOR = TypeConstraint(
    "tensor of 32-bit signless integer values",
    lambda type_: types.is_tensor(type_) and type_.element_type == types.i32,
)
BOOL_TENSOR = ranked_tensor_of("1-bit signless integer", signless_integer(1))
RANKED_TENSOR = ranked_tensor_of("any type", lambda _: True)
I32_TENSOR = ranked_tensor_of("32-bit signless integer", signless_integer(32))
FP_INT_TENSOR = ranked_tensor_of("floating-point or integer", _is_number)
POINTER_TENSOR = ranked_tensor_of("ptr", types.is_pointer)
TENSOR = ranked_tensor_of(
    "floating-point or integer or ptr", lambda type_: _is_number(type_) or types.is_pointer(type_)
)


_DECLARATION = re.compile(r"(operand|result|property) '|failed to satisfy constraint")


def violated_declaration(op: Operation, message: str) -> str:
    """Describe, in MLIR's words, the first declaration that an operation violates.

    Args:
        op: An operation that xDSL refused.
        message: xDSL's message.

    Returns:
        MLIR's message; xDSL's if it is about something else.
    """
    if not isinstance(op, IRDLOperation) or not _DECLARATION.match(message):
        return message
    return _violated_property(op) or _violated_type(op) or message


def _violated_property(op: IRDLOperation) -> str | None:
    context = VerificationContext()
    for name, definition in op.get_irdl_definition().properties.items():
        value = op.properties.get(name)
        if value is None:
            if isinstance(definition, OptPropertyDef):
                continue
            return f"requires attribute '{name}'"
        try:
            definition.constr.verify(value, context)
        except VerifyException as error:
            message = str(error)
            if message.startswith("failed to satisfy constraint"):
                return f"attribute '{name}' {message}"
            return None
    return None


def _violated_type(op: IRDLOperation) -> str | None:
    definition = op.get_irdl_definition()
    return _violated_group(op, "operand", definition.operands) or _violated_group(
        op, "result", definition.results
    )


def _violated_group(
    op: IRDLOperation, kind: str, definitions: Iterable[tuple[str, OperandDef | ResultDef]]
) -> str | None:
    context = VerificationContext()
    index = 0
    for name, definition in definitions:
        group: SSAValue | Sequence[SSAValue] | None = getattr(op, name)
        values = [group] if isinstance(group, SSAValue) else list(group or ())
        for value in values:
            try:
                definition.constr.verify((value.type,), context)
            except VerifyException as error:
                message = str(error)
                if not message.startswith("must be "):
                    return None
                is_variadic = isinstance(definition, VariadicDef) and name != OPTIONALS
                if is_variadic and not isinstance(definition, OptionalDef):
                    message = message.replace("must be ", "must be variadic of ", 1)
                return f"{kind} #{index} {message}"
            index += 1
    return None
