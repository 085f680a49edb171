"""The ub dialect: undefined behavior."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import result_def, traits_def
from xdsl.traits import ConstantLike, Pure

from weft.ir.operation import Op, operation


@operation
class PoisonOp(Op):
    """A poison value: using it is undefined behavior.

    `%p = ub.poison : i32`
    """

    name = "ub.poison"
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


Ub = Dialect("ub", [PoisonOp])
