"""The ub dialect: a value that nothing may depend on."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import result_def, traits_def
from xdsl.traits import ConstantLike, Pure

from weft.ir.operation import Op, operation


@operation
class PoisonOp(Op):
    """An undefined value, such as the result of a path that cannot be taken.

    `%p = ub.poison : i32`
    """

    name = "ub.poison"
    result = result_def()
    traits = traits_def(Pure(), ConstantLike())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


Ub = Dialect("ub", [PoisonOp])
