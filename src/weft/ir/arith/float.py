"""Floating-point operations of arith."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from weft.ir.bit_enums import flags_prop
from weft.ir.op_traits import SameOperandsAndResultType
from weft.ir.operation import Infer, Op, operation, same
from weft.ir.type_constraints import FLOATING_POINT_LIKE


class _FloatBinary(Op, ABC):
    lhs = operand_def(FLOATING_POINT_LIKE)
    rhs = operand_def(FLOATING_POINT_LIKE)
    result = result_def(FLOATING_POINT_LIKE)
    fastmath = flags_prop("fastmath")
    traits = traits_def(SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"lhs": same("result"), "rhs": same("result")}


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
    """Maximum, or the other operand if one is NaN.  `%r = arith.maxnumf %a, %b : f32`"""

    name = "arith.maxnumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MinNumFOp(_FloatBinary):
    """Minimum, or the other operand if one is NaN.  `%r = arith.minnumf %a, %b : f32`"""

    name = "arith.minnumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MaximumFOp(_FloatBinary):
    """Maximum, or NaN if an operand is NaN.  `%r = arith.maximumf %a, %b : f32`"""

    name = "arith.maximumf"
    traits = traits_def(Pure(), Commutative())


@operation
class MinimumFOp(_FloatBinary):
    """Minimum, or NaN if an operand is NaN.  `%r = arith.minimumf %a, %b : f32`"""

    name = "arith.minimumf"
    traits = traits_def(Pure(), Commutative())


@operation
class NegFOp(Op):
    """Flip the sign.  `%r = arith.negf %a : f32`"""

    name = "arith.negf"
    operand = operand_def(FLOATING_POINT_LIKE)
    result = result_def(FLOATING_POINT_LIKE)
    fastmath = flags_prop("fastmath")
    traits = traits_def(Pure(), SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$operand (`fastmath` $fastmath^)? attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"operand": same("result")}


OPERATIONS = (
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
)

__all__ = [
    "AddFOp",
    "DivFOp",
    "MaxNumFOp",
    "MaximumFOp",
    "MinNumFOp",
    "MinimumFOp",
    "MulFOp",
    "NegFOp",
    "OPERATIONS",
    "RemFOp",
    "SubFOp",
]
