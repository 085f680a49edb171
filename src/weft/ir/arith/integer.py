"""Integer operations of arith.

Integer types are signless; the operation is signed (`divsi`) or unsigned (`divui`).
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from weft.ir.bit_enums import flags_prop
from weft.ir.op_traits import SameOperandsAndResultType
from weft.ir.operation import Infer, Op, operation, same
from weft.ir.type_constraints import SIGNLESS_INTEGER_LIKE


class _IntegerBinary(Op, ABC):
    lhs = operand_def(SIGNLESS_INTEGER_LIKE)
    rhs = operand_def(SIGNLESS_INTEGER_LIKE)
    result = result_def(SIGNLESS_INTEGER_LIKE)
    traits = traits_def(SameOperandsAndResultType())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($result)"
    INFER: ClassVar[Infer] = {"lhs": same("result"), "rhs": same("result")}


class _OverflowBinary(_IntegerBinary, ABC):
    overflowFlags = flags_prop("overflow")
    FORMAT: ClassVar[str] = (
        "$lhs `,` $rhs (`overflow` $overflowFlags^)? attr-dict `:` type($result)"
    )


class _ExactBinary(_IntegerBinary, ABC):
    isExact = opt_prop_def(UnitAttr)
    FORMAT: ClassVar[str] = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


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
class DivSIOp(_ExactBinary):
    """Divide signed integers, rounding towards zero.  `%r = arith.divsi %a, %b : i32`"""

    name = "arith.divsi"
    traits = traits_def(Pure())


@operation
class DivUIOp(_ExactBinary):
    """Divide unsigned integers.  `%r = arith.divui %a, %b : i32`"""

    name = "arith.divui"
    traits = traits_def(Pure())


@operation
class RemSIOp(_IntegerBinary):
    """Remainder of `divsi`, with the sign of the dividend.  `%r = arith.remsi %a, %b : i32`"""

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
class ShRSIOp(_ExactBinary):
    """Shift right, copying the sign bit.  `%r = arith.shrsi %a, %b : i32`"""

    name = "arith.shrsi"
    traits = traits_def(Pure())


@operation
class ShRUIOp(_ExactBinary):
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


OPERATIONS = (
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
)

__all__ = [
    "AddIOp",
    "AndIOp",
    "CeilDivSIOp",
    "CeilDivUIOp",
    "DivSIOp",
    "DivUIOp",
    "FloorDivSIOp",
    "MaxSIOp",
    "MaxUIOp",
    "MinSIOp",
    "MinUIOp",
    "MulIOp",
    "OPERATIONS",
    "OrIOp",
    "RemSIOp",
    "RemUIOp",
    "ShLIOp",
    "ShRSIOp",
    "ShRUIOp",
    "SubIOp",
    "XOrIOp",
]
