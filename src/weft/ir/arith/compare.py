"""Comparisons, selection and constants of arith."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import print_scalar
from weft.ir.bit_enums import flags_prop
from weft.ir.constraints import enum_prop
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.ir.op_traits import AllTypesMatch, SameTypeOperands, TypesMatchWith
from weft.ir.operation import Infer, Op, operation, same, same_shape
from weft.ir.type_constraints import FLOATING_POINT_LIKE, I1_LIKE, SIGNLESS_INTEGER_LIKE

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


class _Compare(Op, ABC):
    result = result_def(I1_LIKE)
    traits = traits_def(
        TypesMatchWith(
            "result type has i1 element type and same shape as operands",
            "lhs",
            "result",
            lambda type_: types.with_element(type_, types.i1),
        ),
        SameTypeOperands(),
    )
    INFER: ClassVar[Infer] = {"rhs": same("lhs"), "result": same_shape("lhs", types.i1)}


@operation
class CmpIOp(_Compare):
    """Compare integers.  `%r = arith.cmpi slt, %a, %b : i32`"""

    name = "arith.cmpi"
    lhs = operand_def(SIGNLESS_INTEGER_LIKE)
    rhs = operand_def(SIGNLESS_INTEGER_LIKE)
    predicate = enum_prop(CmpIPredicate)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)"


@operation
class CmpFOp(_Compare):
    """Compare floats.  `%r = arith.cmpf olt, %a, %b : f32`"""

    name = "arith.cmpf"
    lhs = operand_def(FLOATING_POINT_LIKE)
    rhs = operand_def(FLOATING_POINT_LIKE)
    predicate = enum_prop(CmpFPredicate)
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$predicate `,` $lhs `,` $rhs (`fastmath` $fastmath^)? attr-dict `:` type($lhs)"
    )


@operation
class SelectOp(Op):
    """Select one of two values by an i1, or elements of two tensors by a tensor of i1.

    The text omits the type of a scalar condition.

    Example:
        %r = arith.select %c, %a, %b : f32
        %t = arith.select %m, %x, %y : tensor<4xi1>, tensor<4xf32>
    """

    name = "arith.select"
    condition = operand_def(I1_LIKE)
    true_value = operand_def()
    false_value = operand_def()
    result = result_def()
    traits = traits_def(Pure(), AllTypesMatch(("true_value", "false_value", "result")))

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        unresolved = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            unresolved.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition, value = types.i1, parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            condition, value = value, parser.parse_type()
        operands = parser.resolve_operands(unresolved, (condition, value, value), parser.pos)
        return cls.create(operands=operands, result_types=[value], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.condition.type != types.i1:
            printer.print_attribute(self.condition.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if self.condition.type not in (types.i1, types.with_element(self.result.type, types.i1)):
            raise VerifyException(
                "failed to verify that condition is signless i1 or has matching shape"
            )


@operation
class ConstantOp(Op):
    """A scalar constant or a constant tensor; `dense<x>` with one number is a splat.

    Example:
        %c = arith.constant 1 : i32
        %z = arith.constant dense<0.000000e+00> : tensor<64xf32>
    """

    name = "arith.constant"
    value = prop_def()
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        type_ = getattr(value, "type", None)
        if not isinstance(type_, Attribute):
            parser.raise_error("value must be an integer, float, or elements attribute")
        return cls.create(result_types=[type_], properties={"value": value}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        value = self.value
        if isinstance(value, IntegerAttr | FloatAttr):
            print_scalar(printer, value)
            if value.type != types.i1:
                printer.print_string(" : ")
                printer.print_attribute(value.type)
        else:
            printer.print_attribute(value)

    def verify_(self) -> None:
        type_ = getattr(self.value, "type", None)
        if not isinstance(type_, Attribute):
            raise VerifyException(
                f"value must be an integer, float, or elements attribute, but got {self.value}"
            )
        if type_ != self.result.type:
            raise VerifyException("failed to verify that all of {value, result} have same type")


OPERATIONS = (
    CmpIOp,
    CmpFOp,
    SelectOp,
    ConstantOp,
)

__all__ = [
    "CmpFOp",
    "CmpIOp",
    "ConstantOp",
    "OPERATIONS",
    "SelectOp",
]
