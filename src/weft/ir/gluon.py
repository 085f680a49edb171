"""The gluon dialect: layouts that are still to be chosen.

`%1 = gluon.set_auto_layout %0 : tensor<64xf32, #gluon.auto_encoding> -> tensor<64xf32, #blocked>`
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.operation import Op, operation

__all__ = ["Gluon", "SetAutoLayoutOp"]


@operation
class SetAutoLayoutOp(Op):
    """Fix the layout of a tensor whose layout was left open; see the head of this file."""

    name = "gluon.set_auto_layout"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        if types.with_encoding(before, None) != types.with_encoding(after, None):
            raise VerifyException(f"{self.name}: {before} to {after} changes more than layout")


Gluon = Dialect("gluon", [SetAutoLayoutOp])
