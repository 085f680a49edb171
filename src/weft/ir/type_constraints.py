"""Constraints on the types of operands and results, with MLIR's descriptions.

    ptr = operand_def(POINTER_LIKE)          a pointer or a tensor of pointers
    offset = operand_def(INT_LIKE)

    'tt.addptr' op operand #0 must be ptr or ranked tensor of ptr values, but got 'i32'

Source: Triton, include/triton/Dialect/Triton/IR/TritonTypes.td; MLIR, CommonTypeConstraints.td.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from weft.ir import types

__all__ = [
    "ANY_INTEGER_OR_INDEX",
    "ANY_TYPE",
    "BOOL_LIKE",
    "BOOL_TENSOR",
    "CONDITION",
    "FLOAT",
    "FLOATING_POINT_LIKE",
    "FLOAT_LIKE",
    "FLOAT_TENSOR",
    "FP_INT_TENSOR",
    "I1",
    "I16",
    "I1_LIKE",
    "I1_TENSOR",
    "I32",
    "I32_TENSOR",
    "I64",
    "I64_LIKE",
    "I8_TENSOR",
    "INDEX_TENSOR",
    "INT",
    "INT_LIKE",
    "INT_TENSOR",
    "POINTER",
    "POINTERS",
    "POINTER_LIKE",
    "POINTER_TENSOR",
    "POINTER_TYPE",
    "RANKED_TENSOR",
    "SCALED_DOT_OPERAND",
    "SIGNLESS_FIXED_WIDTH_INTEGER_LIKE",
    "SIGNLESS_INTEGER_LIKE",
    "SIGNLESS_INTEGER_OR_FLOAT_LIKE",
    "TENSOR",
    "TENSOR_DESCRIPTOR",
    "TENSOR_POINTER",
    "TypeConstraint",
    "any_of",
    "is_signless",
    "one_type",
    "ranked_tensor_of",
    "scalar_or_container",
    "signless_integer",
    "tensor_of",
]


@dataclass(frozen=True)
class TypeConstraint(AttrConstraint[Attribute]):
    """Accept the types for which a predicate holds.

    Attributes:
        description: The types, in MLIR's words: "operand #0 must be …".
        accepts: The predicate.
        is_tensor: Whether tensors alone are accepted.
    """

    description: str
    accepts: Callable[[Attribute], bool]
    is_tensor: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.accepts(attr):
            raise VerifyException(f"must be {self.description}, but got '{attr}'")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[Attribute]:
        return self


def any_of(*constraints: TypeConstraint, description: str = "") -> TypeConstraint:
    """Accept what one of the constraints accepts."""
    return TypeConstraint(
        description or " or ".join(constraint.description for constraint in constraints),
        lambda type_: any(constraint.accepts(type_) for constraint in constraints),
    )


def tensor_of(*scalars: TypeConstraint, ranked: bool = True) -> TypeConstraint:
    """Accept tensors of the elements that one of the constraints accepts."""
    elements = " or ".join(constraint.description for constraint in scalars)
    return TypeConstraint(
        f"{'ranked ' if ranked else ''}tensor of {elements} values",
        lambda type_: (
            types.is_tensor(type_)
            and any(constraint.accepts(type_.element_type) for constraint in scalars)
        ),
        is_tensor=True,
    )


def scalar_or_container(
    description: str, accepts_scalar: Callable[[Attribute], bool]
) -> TypeConstraint:
    """Accept a scalar type and the tensors and vectors of it, as arith and math do."""
    return TypeConstraint(description, lambda type_: accepts_scalar(types.element(type_)))


def one_type(type_: Attribute, description: str) -> TypeConstraint:
    """Accept one type."""
    return TypeConstraint(description, lambda other: other == type_)


def signless_integer(*widths: int) -> Callable[[Attribute], bool]:
    """Build a predicate: a signless integer of one of the widths."""
    accepted = {IntegerType(width) for width in widths}
    return lambda type_: type_ in accepted


def ranked_tensor_of(description: str, element: Callable[[Attribute], bool]) -> TypeConstraint:
    """Build a constraint: a ranked tensor whose elements fulfil a predicate."""
    return tensor_of(TypeConstraint(description, element))


def is_signless(type_: Attribute) -> bool:
    """Check whether a scalar type is an integer without a sign, such as `i32`."""
    return types.is_integer(type_) and type_.signedness.data is Signedness.SIGNLESS


_FLOATS = frozenset(
    (
        *(types.f8E4M3FN, types.f8E4M3FNUZ, types.f8E5M2, types.f8E5M2FNUZ),
        *(types.f16, types.bf16, types.f32, types.f64),
    )
)
_INTEGERS = frozenset((types.i1, types.i4, types.i8, types.i16, types.i32, types.i64))

FLOAT = TypeConstraint("floating-point", lambda type_: type_ in _FLOATS)
INT = TypeConstraint("integer", lambda type_: type_ in _INTEGERS)
POINTER = TypeConstraint("ptr", types.is_pointer)
I1 = one_type(types.i1, "1-bit signless integer")
I8 = one_type(types.i8, "8-bit signless integer")
I16 = one_type(types.i16, "16-bit signless integer")
I32 = one_type(types.i32, "32-bit signless integer")
I64 = one_type(types.i64, "64-bit signless integer")

FLOAT_TENSOR = tensor_of(FLOAT)
INT_TENSOR = tensor_of(INT)
POINTER_TENSOR = tensor_of(POINTER)
FP_INT_TENSOR = tensor_of(FLOAT, INT)
TENSOR = tensor_of(FLOAT, INT, POINTER)
SCALED_DOT_OPERAND = tensor_of(FLOAT, I8)
I8_TENSOR = tensor_of(I8)
I32_TENSOR = tensor_of(I32)
I1_TENSOR = tensor_of(I1, ranked=False)

FLOAT_LIKE = any_of(FLOAT, FLOAT_TENSOR)
INT_LIKE = any_of(INT, INT_TENSOR)
POINTER_LIKE = any_of(POINTER, POINTER_TENSOR)
BOOL_LIKE = any_of(I1, tensor_of(I1))
I64_LIKE = any_of(I64, tensor_of(I64, ranked=False))
TENSOR_POINTER = TypeConstraint(
    "ptr", lambda type_: types.is_pointer(type_) and TENSOR.accepts(type_.pointee)
)
POINTERS = any_of(POINTER_LIKE, TENSOR_POINTER)
CONDITION = any_of(I1, I1_TENSOR)
ANY_TYPE = any_of(FLOAT_LIKE, INT_LIKE, POINTER_LIKE, TENSOR_POINTER)
ANY_INTEGER_OR_INDEX = TypeConstraint(
    "signless integer or index", lambda type_: is_signless(type_) or type_ == types.index
)
TENSOR_DESCRIPTOR = TypeConstraint(
    "Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system",
    lambda type_: isinstance(type_, types.TensorDescType),
)
POINTER_TYPE = TypeConstraint(
    "Pointer type (`::mlir::triton::PointerType`) in Triton IR type system", types.is_pointer
)
FLOATING_POINT_LIKE = scalar_or_container("floating-point-like", types.is_float)
SIGNLESS_INTEGER_LIKE = scalar_or_container(
    "signless-integer-like", lambda type_: is_signless(type_) or type_ == types.index
)
SIGNLESS_FIXED_WIDTH_INTEGER_LIKE = scalar_or_container(
    "signless-fixed-width-integer-like", is_signless
)
SIGNLESS_INTEGER_OR_FLOAT_LIKE = scalar_or_container(
    "signless-integer-or-float-like",
    lambda type_: is_signless(type_) or type_ == types.index or types.is_float(type_),
)
I1_LIKE = scalar_or_container("bool-like", lambda type_: type_ == types.i1)
INDEX_TENSOR = tensor_of(I32, ranked=False)
BOOL_TENSOR = tensor_of(I1)
RANKED_TENSOR = ranked_tensor_of("any type", lambda _: True)
