"""The ub dialect: undefined behavior."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.ub import PoisonAttr
from xdsl.ir import Dialect
from xdsl.irdl import prop_def, result_def, traits_def
from xdsl.traits import ConstantLike, Pure

from weft.ir.operation import Op, operation


@operation
class PoisonOp(Op):
    """A poison value: using it is undefined behavior.

    `%p = ub.poison : i32`

    `value` says which parts are poison; all are by `#ub.poison`, which the text omits.
    """

    name = "ub.poison"
    value = prop_def(PoisonAttr, default_value=PoisonAttr())
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())
    FORMAT: ClassVar[str] = "attr-dict (`<` $value^ `>`)? `:` type($result)"


Ub = Dialect("ub", [PoisonOp], [PoisonAttr])
