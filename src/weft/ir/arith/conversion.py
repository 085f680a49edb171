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
from weft.ir.type_rules import require_float, require_integer, require_type


class _Cast(Op, ABC):
    """Base class of the casts.

    Attributes:
        KINDS: "integer" or "float", for the operand and the result.
        WIDTHS: "wider" or "narrower" for the result, "" if its width is free.
    """

    in_ = operand_def()
    out = result_def()
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"
    KINDS: ClassVar[tuple[str, str]] = ("integer", "integer")
    WIDTHS: ClassVar[str] = ""

    def verify_(self) -> None:
        source, result = self.in_.type, self.out.type
        for kind, value, type_ in zip(
            self.KINDS, ("operand #0", "result #0"), (source, result), strict=True
        ):
            if kind == "float":
                require_float(value, type_)
            else:
                description = "signless-fixed-width-integer-like"
                require_integer(value, type_, description)
                require_type(types.element(type_) != types.index, value, description, type_)
        _require_same_dimensions(source, result)
        before, after = types.bit_width(source), types.bit_width(result)
        if (self.WIDTHS == "wider" and after <= before) or (
            self.WIDTHS == "narrower" and after >= before
        ):
            raise _cast_incompatible(source, result)


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
class ExtFOp(_Cast):
    """Widen a float.  `%r = arith.extf %a : f16 to f32`"""

    name = "arith.extf"
    fastmath = opt_flags_prop("fastmath")
    FORMAT: ClassVar[str] = "$in_ (`fastmath` $fastmath^)? attr-dict `:` type($in_) `to` type($out)"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "float")
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtSIOp(_Cast):
    """Sign-extend an integer.  `%r = arith.extsi %a : i16 to i32`"""

    name = "arith.extsi"
    traits = traits_def(Pure())
    WIDTHS: ClassVar[str] = "wider"


@operation
class ExtUIOp(_Cast):
    """Zero-extend an integer.  `%r = arith.extui %a : i16 to i32`"""

    name = "arith.extui"
    traits = traits_def(Pure())
    WIDTHS: ClassVar[str] = "wider"


@operation
class TruncIOp(_Cast):
    """Truncate an integer to its low bits.  `%r = arith.trunci %a : i64 to i32`"""

    name = "arith.trunci"
    overflowFlags = flags_prop("overflow")
    FORMAT: ClassVar[str] = (
        "$in_ (`overflow` $overflowFlags^)? attr-dict `:` type($in_) `to` type($out)"
    )
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
    """Convert a float to a signed integer, rounding to zero.

    `%r = arith.fptosi %a : f32 to i32`
    """

    name = "arith.fptosi"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "integer")


@operation
class FPToUIOp(_Cast):
    """Convert a float to an unsigned integer, rounding to zero.

    `%r = arith.fptoui %a : f32 to i32`
    """

    name = "arith.fptoui"
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "integer")


@operation
class IndexCastOp(_Cast):
    """Convert between an index and an integer.  `%r = arith.index_cast %a : i32 to index`"""

    name = "arith.index_cast"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, result = types.element(self.in_.type), types.element(self.out.type)
        require_integer("operand #0", self.in_.type)
        require_integer("result #0", self.out.type)
        _require_same_dimensions(self.in_.type, self.out.type)
        if (source == types.index) == (result == types.index):
            raise _cast_incompatible(self.in_.type, self.out.type)


@operation
class TruncFOp(_Cast):
    """Narrow a float, rounding to nearest even unless another mode is given.

    `%r = arith.truncf %a toward_zero : f32 to f16`
    """

    name = "arith.truncf"
    roundingmode = opt_enum_prop(ArithRoundingMode)
    fastmath = opt_flags_prop("fastmath")
    FORMAT: ClassVar[str] = (
        "$in_ ($roundingmode^)? (`fastmath` $fastmath^)? attr-dict `:` type($in_) `to` type($out)"
    )
    traits = traits_def(Pure())
    KINDS: ClassVar[tuple[str, str]] = ("float", "float")
    WIDTHS: ClassVar[str] = "narrower"


@operation
class BitcastOp(Op):
    """Reinterpret the bits as another type of the same width.

    `%r = arith.bitcast %a : i32 to f32`
    """

    name = "arith.bitcast"
    in_ = operand_def()
    out = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$in_ attr-dict `:` type($in_) `to` type($out)"

    def verify_(self) -> None:
        source, result = self.in_.type, self.out.type
        for name, type_ in (("operand #0", source), ("result #0", result)):
            scalar = types.element(type_)
            is_number = types.is_float(scalar) or types.is_integer(scalar) or scalar == types.index
            require_type(is_number, name, "signless-integer-or-float-like", type_)
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
