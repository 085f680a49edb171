"""Operations of math."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure

from weft.ir.bit_enums import flags_prop
from weft.ir.op_traits import SameOperandsAndResultType
from weft.ir.operation import Infer, Op, operation, same
from weft.ir.type_constraints import FLOATING_POINT_LIKE, SIGNLESS_INTEGER_LIKE


class _Unary(Op, ABC):
    operand = operand_def(FLOATING_POINT_LIKE)
    result = result_def(FLOATING_POINT_LIKE)
    traits = traits_def(SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$operand (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"operand": same("result")}
    fastmath = flags_prop("fastmath")


@operation
class ExpOp(_Unary):
    """e to the power of x.  `%r = math.exp %x : f32`"""

    name = "math.exp"
    traits = traits_def(Pure())


@operation
class Exp2Op(_Unary):
    """2 to the power of x.  `%r = math.exp2 %x : f32`"""

    name = "math.exp2"
    traits = traits_def(Pure())


@operation
class ExpM1Op(_Unary):
    """e to the power of x, minus one.  `%r = math.expm1 %x : f32`"""

    name = "math.expm1"
    traits = traits_def(Pure())


@operation
class LogOp(_Unary):
    """Natural logarithm.  `%r = math.log %x : f32`"""

    name = "math.log"
    traits = traits_def(Pure())


@operation
class Log2Op(_Unary):
    """Logarithm to base 2.  `%r = math.log2 %x : f32`"""

    name = "math.log2"
    traits = traits_def(Pure())


@operation
class Log10Op(_Unary):
    """Logarithm to base 10.  `%r = math.log10 %x : f32`"""

    name = "math.log10"
    traits = traits_def(Pure())


@operation
class Log1pOp(_Unary):
    """Natural logarithm of 1 + x.  `%r = math.log1p %x : f32`"""

    name = "math.log1p"
    traits = traits_def(Pure())


@operation
class SqrtOp(_Unary):
    """Square root.  `%r = math.sqrt %x : f32`"""

    name = "math.sqrt"
    traits = traits_def(Pure())


@operation
class RsqrtOp(_Unary):
    """Reciprocal square root.  `%r = math.rsqrt %x : f32`"""

    name = "math.rsqrt"
    traits = traits_def(Pure())


@operation
class SinOp(_Unary):
    """Sine.  `%r = math.sin %x : f32`"""

    name = "math.sin"
    traits = traits_def(Pure())


@operation
class CosOp(_Unary):
    """Cosine.  `%r = math.cos %x : f32`"""

    name = "math.cos"
    traits = traits_def(Pure())


@operation
class TanOp(_Unary):
    """Tangent.  `%r = math.tan %x : f32`"""

    name = "math.tan"
    traits = traits_def(Pure())


@operation
class TanhOp(_Unary):
    """Hyperbolic tangent.  `%r = math.tanh %x : f32`"""

    name = "math.tanh"
    traits = traits_def(Pure())


@operation
class ErfOp(_Unary):
    """Error function.  `%r = math.erf %x : f32`"""

    name = "math.erf"
    traits = traits_def(Pure())


@operation
class AbsFOp(_Unary):
    """Absolute value.  `%r = math.absf %x : f32`"""

    name = "math.absf"
    traits = traits_def(Pure())


@operation
class FloorOp(_Unary):
    """Round down.  `%r = math.floor %x : f32`"""

    name = "math.floor"
    traits = traits_def(Pure())


@operation
class CeilOp(_Unary):
    """Round up.  `%r = math.ceil %x : f32`"""

    name = "math.ceil"
    traits = traits_def(Pure())


@operation
class RoundOp(_Unary):
    """Round to the nearest integer, ties away from zero.  `%r = math.round %x : f32`"""

    name = "math.round"
    traits = traits_def(Pure())


@operation
class RoundEvenOp(_Unary):
    """Round to the nearest integer, ties to even.  `%r = math.roundeven %x : f32`"""

    name = "math.roundeven"
    traits = traits_def(Pure())


@operation
class TruncOp(_Unary):
    """Round towards zero.  `%r = math.trunc %x : f32`"""

    name = "math.trunc"
    traits = traits_def(Pure())


@operation
class AbsIOp(Op):
    """Absolute value of a signed integer.  `%r = math.absi %x : i32`"""

    name = "math.absi"
    operand = operand_def(SIGNLESS_INTEGER_LIKE)
    result = result_def(SIGNLESS_INTEGER_LIKE)
    traits = traits_def(Pure(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$operand attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"operand": same("result")}


@operation
class FmaOp(Op):
    """a * b + c with one rounding.  `%r = math.fma %a, %b, %c : f32`"""

    name = "math.fma"
    a = operand_def(FLOATING_POINT_LIKE)
    b = operand_def(FLOATING_POINT_LIKE)
    c = operand_def(FLOATING_POINT_LIKE)
    result = result_def(FLOATING_POINT_LIKE)
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$a `,` $b `,` $c (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"a": same("result"), "b": same("result"), "c": same("result")}


OPERATIONS = (
    ExpOp,
    Exp2Op,
    ExpM1Op,
    LogOp,
    Log2Op,
    Log10Op,
    Log1pOp,
    SqrtOp,
    RsqrtOp,
    SinOp,
    CosOp,
    TanOp,
    TanhOp,
    ErfOp,
    AbsFOp,
    FloorOp,
    CeilOp,
    RoundOp,
    RoundEvenOp,
    TruncOp,
    AbsIOp,
    FmaOp,
)

__all__ = [
    "OPERATIONS",
    "AbsFOp",
    "AbsIOp",
    "CeilOp",
    "CosOp",
    "ErfOp",
    "Exp2Op",
    "ExpM1Op",
    "ExpOp",
    "FloorOp",
    "FmaOp",
    "Log10Op",
    "Log1pOp",
    "Log2Op",
    "LogOp",
    "RoundEvenOp",
    "RoundOp",
    "RsqrtOp",
    "SinOp",
    "SqrtOp",
    "TanOp",
    "TanhOp",
    "TruncOp",
]
