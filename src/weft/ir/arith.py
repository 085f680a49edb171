"""The arith dialect: integer, floating-point and conversion operations on scalars and tensors.

xDSL's own arith gives a comparison of tensors a scalar result and rejects tensors in most
conversions, so these definitions are weft's. Operands and results are scalars or tensors of
one shape and encoding; integers are signless, signedness is in the operation's name.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Commutative, ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import SplatAttr, print_scalar
from weft.ir.constraints import enum_prop
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.ir.flags import flags_prop
from weft.ir.operation import Infer, Op, operation, same, same_shape

_BINARY: Infer = {"lhs": same("result"), "rhs": same("result")}


def _check_same(op: Op, *found: Attribute) -> None:
    if any(type_ != found[0] for type_ in found):
        listed = ", ".join(str(type_) for type_ in found)
        raise VerifyException(f"{op.name}: operands and result must have one type, found {listed}")


def _check_element(op: Op, type_: Attribute, kind: str) -> None:
    scalar = types.element(type_)
    fits = types.is_float(scalar) if kind == "float" else _is_integer_like(scalar)
    if not fits:
        raise VerifyException(f"{op.name}: {kind} elements expected, found {type_}")


def _is_integer_like(scalar: Attribute) -> bool:
    return types.is_integer(scalar) or scalar == types.index


class _IntegerBinary(Op, ABC):
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = _BINARY

    def verify_(self) -> None:
        _check_same(self, self.result.type, self.lhs.type, self.rhs.type)
        _check_element(self, self.result.type, "integer")


class _OverflowBinary(_IntegerBinary, ABC):
    overflowFlags = flags_prop("overflow")
    FORMAT: ClassVar[str] = "$lhs `,` $rhs (`overflow` $overflowFlags^)? attr-dict `:` type($result)"


class _FloatBinary(Op, ABC):
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    fastmath = flags_prop("fastmath")
    FORMAT: ClassVar[str] = "$lhs `,` $rhs (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = _BINARY

    def verify_(self) -> None:
        _check_same(self, self.result.type, self.lhs.type, self.rhs.type)
        _check_element(self, self.result.type, "float")


class _Cast(Op, ABC):
    in_ = operand_def()
    out = result_def()
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"
    KINDS: ClassVar[tuple[str, str]] = ("integer", "integer")
    WIDTHS: ClassVar[str] = ""

    def verify_(self) -> None:
        source, result = self.in_.type, self.out.type
        if types.with_element(source, types.i1) != types.with_element(result, types.i1):
            raise VerifyException(f"{self.name}: shapes differ: {source} and {result}")
        _check_element(self, source, self.KINDS[0])
        _check_element(self, result, self.KINDS[1])
        before, after = types.bit_width(source), types.bit_width(result)
        if (self.WIDTHS == "wider" and after <= before) or (
            self.WIDTHS == "narrower" and after >= before
        ):
            raise VerifyException(f"{self.name}: a {self.WIDTHS} result expected: {source} to {result}")


@operation
class AddIOp(_OverflowBinary):
    """Add two integers, wrapping around.  `%r = arith.addi %a, %b : i32`"""

    name = "arith.addi"
    traits = traits_def(Pure(), Commutative())


@operation
class SubIOp(_OverflowBinary):
    """Subtract two integers, wrapping around.  `%r = arith.subi %a, %b : i32`"""

    name = "arith.subi"
    traits = traits_def(Pure())


@operation
class MulIOp(_OverflowBinary):
    """Multiply two integers, wrapping around.  `%r = arith.muli %a, %b : i32`"""

    name = "arith.muli"
    traits = traits_def(Pure(), Commutative())


@operation
class DivSIOp(_IntegerBinary):
    """Divide signed integers, rounding towards zero.  `%r = arith.divsi %a, %b : i32`"""

    name = "arith.divsi"
    traits = traits_def(Pure())


@operation
class DivUIOp(_IntegerBinary):
    """Divide unsigned integers.  `%r = arith.divui %a, %b : i32`"""

    name = "arith.divui"
    traits = traits_def(Pure())


@operation
class RemSIOp(_IntegerBinary):
    """Remainder of `divsi`; it has the sign of the dividend.  `%r = arith.remsi %a, %b : i32`"""

    name = "arith.remsi"
    traits = traits_def(Pure())


@operation
class RemUIOp(_IntegerBinary):
    """Remainder of `divui`.  `%r = arith.remui %a, %b : i32`"""

    name = "arith.remui"
    traits = traits_def(Pure())


@operation
class CeilDivSIOp(_IntegerBinary):
    """Divide signed integers, rounding up.  `%r = arith.ceildivsi %a, %b : i32`"""

    name = "arith.ceildivsi"
    traits = traits_def(Pure())


@operation
class CeilDivUIOp(_IntegerBinary):
    """Divide unsigned integers, rounding up.  `%r = arith.ceildivui %a, %b : i32`"""

    name = "arith.ceildivui"
    traits = traits_def(Pure())


@operation
class FloorDivSIOp(_IntegerBinary):
    """Divide signed integers, rounding down.  `%r = arith.floordivsi %a, %b : i32`"""

    name = "arith.floordivsi"
    traits = traits_def(Pure())


@operation
class AndIOp(_IntegerBinary):
    """Bitwise and.  `%r = arith.andi %a, %b : i32`"""

    name = "arith.andi"
    traits = traits_def(Pure(), Commutative())


@operation
class OrIOp(_IntegerBinary):
    """Bitwise or.  `%r = arith.ori %a, %b : i32`"""

    name = "arith.ori"
    traits = traits_def(Pure(), Commutative())


@operation
class XOrIOp(_IntegerBinary):
    """Bitwise exclusive or.  `%r = arith.xori %a, %b : i32`"""

    name = "arith.xori"
    traits = traits_def(Pure(), Commutative())


@operation
class ShLIOp(_OverflowBinary):
    """Shift left.  `%r = arith.shli %a, %b : i32`"""

    name = "arith.shli"
    traits = traits_def(Pure())


@operation
class ShRSIOp(_IntegerBinary):
    """Shift right, copying the sign bit.  `%r = arith.shrsi %a, %b : i32`"""

    name = "arith.shrsi"
    traits = traits_def(Pure())


@operation
class ShRUIOp(_IntegerBinary):
    """Shift right, filling with zeros.  `%r = arith.shrui %a, %b : i32`"""

    name = "arith.shrui"
    traits = traits_def(Pure())


@operation
class MinSIOp(_IntegerBinary):
    """Signed minimum.  `%r = arith.minsi %a, %b : i32`"""

    name = "arith.minsi"
    traits = traits_def(Pure(), Commutative())


@operation
class MinUIOp(_IntegerBinary):
    """Unsigned minimum.  `%r = arith.minui %a, %b : i32`"""

    name = "arith.minui"
    traits = traits_def(Pure(), Commutative())


@operation
class MaxSIOp(_IntegerBinary):
    """Signed maximum.  `%r = arith.maxsi %a, %b : i32`"""

    name = "arith.maxsi"
    traits = traits_def(Pure(), Commutative())


@operation
class MaxUIOp(_IntegerBinary):
    """Unsigned maximum.  `%r = arith.maxui %a, %b : i32`"""

    name = "arith.maxui"
    traits = traits_def(Pure(), Commutative())


@operation
class AddFOp(_FloatBinary):
    """Add.  `%r = arith.addf %a, %b : f32`"""

    name = "arith.addf"
    traits = traits_def(Pure(), Commutative())


@operation
class SubFOp(_FloatBinary):
    """Subtract.  `%r = arith.subf %a, %b : f32`"""

    name = "arith.subf"
    traits = traits_def(Pure())


@operation
class MulFOp(_FloatBinary):
    """Multiply.  `%r = arith.mulf %a, %b : f32`"""

    name = "arith.mulf"
    traits = traits_def(Pure(), Commutative())


@operation
class DivFOp(_FloatBinary):
    """Divide.  `%r = arith.divf %a, %b : f32`"""

    name = "arith.divf"
    traits = traits_def(Pure())


@operation
class RemFOp(_FloatBinary):
    """Remainder with the sign of the dividend (C's fmod).  `%r = arith.remf %a, %b : f32`"""

    name = "arith.remf"
    traits = traits_def(Pure())


@operation
class MaxNumFOp(_FloatBinary):
    """Maximum; the other operand where one is NaN.  `%r = arith.maxnumf %a, %b : f32`"""

    name = "arith.maxnumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MinNumFOp(_FloatBinary):
    """Minimum; the other operand where one is NaN.  `%r = arith.minnumf %a, %b : f32`"""

    name = "arith.minnumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MaximumFOp(_FloatBinary):
    """Maximum; NaN where either operand is NaN.  `%r = arith.maximumf %a, %b : f32`"""

    name = "arith.maximumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MinimumFOp(_FloatBinary):
    """Minimum; NaN where either operand is NaN.  `%r = arith.minimumf %a, %b : f32`"""

    name = "arith.minimumf"
    traits = traits_def(Pure(), Commutative())


@operation
class NegFOp(Op):
    """Flip the sign.  `%r = arith.negf %a : f32`"""

    name = "arith.negf"
    operand = operand_def()
    result = result_def()
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$operand (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"operand": same("result")}

    def verify_(self) -> None:
        _check_same(self, self.result.type, self.operand.type)
        _check_element(self, self.result.type, "float")


@operation
class ExtFOp(_Cast):
    """Widen a float.  `%r = arith.extf %a : f16 to f32`"""

    name = "arith.extf"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "float")
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtSIOp(_Cast):
    """Widen an integer, copying the sign bit.  `%r = arith.extsi %a : i16 to i32`"""

    name = "arith.extsi"
    traits = traits_def(Pure())
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtUIOp(_Cast):
    """Widen an integer with zeros.  `%r = arith.extui %a : i16 to i32`"""

    name = "arith.extui"
    traits = traits_def(Pure())
    WIDTHS: ClassVar[str] = "wider"


@operation
class TruncIOp(_Cast):
    """Drop an integer's high bits.  `%r = arith.trunci %a : i64 to i32`"""

    name = "arith.trunci"
    traits = traits_def(Pure())
    WIDTHS: ClassVar[str] = "narrower"


@operation
class SIToFPOp(_Cast):
    """Convert a signed integer to a float.  `%r = arith.sitofp %a : i32 to f32`"""

    name = "arith.sitofp"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("integer", "float")


@operation
class UIToFPOp(_Cast):
    """Convert an unsigned integer to a float.  `%r = arith.uitofp %a : i32 to f32`"""

    name = "arith.uitofp"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("integer", "float")


@operation
class FPToSIOp(_Cast):
    """Convert a float to a signed integer, rounding towards zero.  `%r = arith.fptosi %a : f32 to i32`"""

    name = "arith.fptosi"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "integer")


@operation
class FPToUIOp(_Cast):
    """Convert a float to an unsigned integer, rounding towards zero.  `%r = arith.fptoui %a : f32 to i32`"""

    name = "arith.fptoui"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "integer")


@operation
class IndexCastOp(_Cast):
    """Convert between an index and an integer.  `%r = arith.index_cast %a : i32 to index`"""

    name = "arith.index_cast"
    traits = traits_def(Pure())


@operation
class TruncFOp(_Cast):
    """Narrow a float, rounding to the nearest even.  `%r = arith.truncf %a : f32 to f16`"""

    name = "arith.truncf"
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "float")
    WIDTHS: ClassVar[str] = "narrower"


@operation
class BitcastOp(Op):
    """Read the same bits as another type of the same width.  `%r = arith.bitcast %a : i32 to f32`"""

    name = "arith.bitcast"
    in_ = operand_def()
    out = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"

    def verify_(self) -> None:
        if types.bit_width(self.in_.type) != types.bit_width(self.out.type):
            raise VerifyException(f"{self.name}: widths differ: {self.in_.type} to {self.out.type}")


class _Compare(Op, ABC):
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    INFER: ClassVar[Infer] = {"rhs": same("lhs"), "result": same_shape("lhs", types.i1)}

    def verify_(self) -> None:
        _check_same(self, self.lhs.type, self.rhs.type)
        _check_same(self, self.result.type, types.with_element(self.lhs.type, types.i1))


@operation
class CmpIOp(_Compare):
    """Compare integers.  `%r = arith.cmpi slt, %a, %b : i32`"""

    name = "arith.cmpi"
    predicate = enum_prop(CmpIPredicate)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)"


@operation
class CmpFOp(_Compare):
    """Compare floats.  `%r = arith.cmpf olt, %a, %b : f32`"""

    name = "arith.cmpf"
    predicate = enum_prop(CmpFPredicate)
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$predicate `,` $lhs `,` $rhs (`fastmath` $fastmath^)? attr-dict `:` type($lhs)"
    )


@operation
class SelectOp(Op):
    """Choose by a scalar or element-wise condition.

    `%r = arith.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>`; the condition's type is
    left out where it is a plain i1.
    """

    name = "arith.select"
    condition = operand_def()
    true_value = operand_def()
    false_value = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition, value = types.i1, parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            condition, value = value, parser.parse_type()
        operands = parser.resolve_operands(names, (condition, value, value), parser.pos)
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
        _check_same(self, self.result.type, self.true_value.type, self.false_value.type)
        if self.condition.type not in (types.i1, types.with_element(self.result.type, types.i1)):
            raise VerifyException(
                f"{self.name}: the condition must be i1 or i1 in the shape of the result, "
                f"found {self.condition.type}"
            )


@operation
class ConstantOp(Op):
    """A number, or a tensor with one number everywhere.

    `%c = arith.constant 1 : i32`, `%z = arith.constant dense<0.000000e+00> : tensor<64xf32>`
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
            parser.raise_error("a number or dense<…> with its type expected")
        return cls.create(
            result_types=[type_], properties={"value": value}, attributes=attributes
        )

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
        value = self.value
        if isinstance(value, IntegerAttr | FloatAttr | SplatAttr):
            _check_same(self, self.result.type, value.type)


Arith = Dialect(
    "arith",
    [
        AddIOp,
        SubIOp,
        MulIOp,
        DivSIOp,
        DivUIOp,
        RemSIOp,
        RemUIOp,
        CeilDivSIOp,
        CeilDivUIOp,
        FloorDivSIOp,
        AndIOp,
        OrIOp,
        XOrIOp,
        ShLIOp,
        ShRSIOp,
        ShRUIOp,
        MinSIOp,
        MinUIOp,
        MaxSIOp,
        MaxUIOp,
        AddFOp,
        SubFOp,
        MulFOp,
        DivFOp,
        RemFOp,
        MaxNumFOp,
        MinNumFOp,
        MaximumFOp,
        MinimumFOp,
        NegFOp,
        ExtFOp,
        ExtSIOp,
        ExtUIOp,
        TruncIOp,
        SIToFPOp,
        UIToFPOp,
        FPToSIOp,
        FPToUIOp,
        IndexCastOp,
        TruncFOp,
        BitcastOp,
        CmpIOp,
        CmpFOp,
        SelectOp,
        ConstantOp,
    ],
)
