"""Casts of arith."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.bit_enums import flags_prop, opt_flags_prop
from weft.ir.constraints import opt_enum_prop
from weft.ir.enums import ArithRoundingMode
from weft.ir.operation import Op, operation
from weft.ir.type_constraints import (
    FLOATING_POINT_LIKE,
    SIGNLESS_FIXED_WIDTH_INTEGER_LIKE,
    SIGNLESS_INTEGER_LIKE,
    SIGNLESS_INTEGER_OR_FLOAT_LIKE,
)


class _Cast(Op, ABC):
    """Base class of the casts.

    Attributes:
        WIDTHS: "wider" or "narrower" for the result, "" if its width is free.
    """

    in_ = operand_def()
    out = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"
    WIDTHS: ClassVar[str] = ""

    def verify_(self) -> None:
        source, result = self.in_.type, self.out.type
        _require_same_dimensions(source, result)
        before, after = types.bit_width(source), types.bit_width(result)
        if (self.WIDTHS == "wider" and after <= before) or (
            self.WIDTHS == "narrower" and after >= before
        ):
            raise _cast_incompatible(source, result)


class _IntegerCast(_Cast, ABC):
    in_ = operand_def(SIGNLESS_FIXED_WIDTH_INTEGER_LIKE)
    out = result_def(SIGNLESS_FIXED_WIDTH_INTEGER_LIKE)


class _FloatCast(_Cast, ABC):
    in_ = operand_def(FLOATING_POINT_LIKE)
    out = result_def(FLOATING_POINT_LIKE)


class _IntegerToFloat(_Cast, ABC):
    in_ = operand_def(SIGNLESS_FIXED_WIDTH_INTEGER_LIKE)
    out = result_def(FLOATING_POINT_LIKE)


class _FloatToInteger(_Cast, ABC):
    in_ = operand_def(FLOATING_POINT_LIKE)
    out = result_def(SIGNLESS_FIXED_WIDTH_INTEGER_LIKE)


def _require_same_dimensions(source: Attribute, result: Attribute) -> None:
    if types.with_element(source, types.i1) != types.with_element(result, types.i1):
        raise VerifyException(
            "failed to verify that input and output have the same tensor dimensions"
        )


def _cast_incompatible(source: Attribute, result: Attribute) -> VerifyException:
    return VerifyException(
        f"operand type '{source}' and result type '{result}' are cast incompatible"
    )


@operation
class ExtFOp(_FloatCast):
    """Widen a float.  `%r = arith.extf %a : f16 to f32`"""

    name = "arith.extf"
    fastmath = opt_flags_prop("fastmath")
    FORMAT: ClassVar[str] = "$in_ (`fastmath` $fastmath^)? attr-dict `:` type($in_) `to` type($out)"
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtSIOp(_IntegerCast):
    """Sign-extend an integer.  `%r = arith.extsi %a : i16 to i32`"""

    name = "arith.extsi"
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtUIOp(_IntegerCast):
    """Zero-extend an integer.  `%r = arith.extui %a : i16 to i32`"""

    name = "arith.extui"
    WIDTHS: ClassVar[str] = "wider"


@operation
class TruncIOp(_IntegerCast):
    """Truncate an integer to its low bits.  `%r = arith.trunci %a : i64 to i32`"""

    name = "arith.trunci"
    overflowFlags = flags_prop("overflow")
    FORMAT: ClassVar[str] = (
        "$in_ (`overflow` $overflowFlags^)? attr-dict `:` type($in_) `to` type($out)"
    )
    WIDTHS: ClassVar[str] = "narrower"


@operation
class SIToFPOp(_IntegerToFloat):
    """Convert a signed integer to a float.  `%r = arith.sitofp %a : i32 to f32`"""

    name = "arith.sitofp"


@operation
class UIToFPOp(_IntegerToFloat):
    """Convert an unsigned integer to a float.  `%r = arith.uitofp %a : i32 to f32`"""

    name = "arith.uitofp"


@operation
class FPToSIOp(_FloatToInteger):
    """Convert a float to a signed integer, rounding to zero.

    `%r = arith.fptosi %a : f32 to i32`
    """

    name = "arith.fptosi"


@operation
class FPToUIOp(_FloatToInteger):
    """Convert a float to an unsigned integer, rounding to zero.

    `%r = arith.fptoui %a : f32 to i32`
    """

    name = "arith.fptoui"


@operation
class IndexCastOp(_Cast):
    """Convert between an index and an integer.  `%r = arith.index_cast %a : i32 to index`"""

    name = "arith.index_cast"
    in_ = operand_def(SIGNLESS_INTEGER_LIKE)
    out = result_def(SIGNLESS_INTEGER_LIKE)

    def verify_(self) -> None:
        source, result = types.element(self.in_.type), types.element(self.out.type)
        _require_same_dimensions(self.in_.type, self.out.type)
        if (source == types.index) == (result == types.index):
            raise _cast_incompatible(self.in_.type, self.out.type)


@operation
class TruncFOp(_FloatCast):
    """Narrow a float, rounding to nearest even unless another mode is given.

    `%r = arith.truncf %a toward_zero : f32 to f16`
    """

    name = "arith.truncf"
    roundingmode = opt_enum_prop(ArithRoundingMode)
    fastmath = opt_flags_prop("fastmath")
    FORMAT: ClassVar[str] = (
        "$in_ ($roundingmode^)? (`fastmath` $fastmath^)? attr-dict `:` type($in_) `to` type($out)"
    )
    WIDTHS: ClassVar[str] = "narrower"


@operation
class BitcastOp(Op):
    """Reinterpret the bits as another type of the same width.

    `%r = arith.bitcast %a : i32 to f32`
    """

    name = "arith.bitcast"
    in_ = operand_def(SIGNLESS_INTEGER_OR_FLOAT_LIKE)
    out = result_def(SIGNLESS_INTEGER_OR_FLOAT_LIKE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"

    def verify_(self) -> None:
        source, result = self.in_.type, self.out.type
        _require_same_dimensions(source, result)
        if types.bit_width(source) != types.bit_width(result):
            raise _cast_incompatible(source, result)


OPERATIONS = (
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
)

__all__ = [
    "BitcastOp",
    "ExtFOp",
    "ExtSIOp",
    "ExtUIOp",
    "FPToSIOp",
    "FPToUIOp",
    "IndexCastOp",
    "OPERATIONS",
    "SIToFPOp",
    "TruncFOp",
    "TruncIOp",
    "UIToFPOp",
]
