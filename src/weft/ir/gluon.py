"""The gluon dialect: tensors whose layout is inferred later.

`%1 = gluon.set_auto_layout %0 : tensor<64xf32, #gluon.auto_encoding> -> tensor<64xf32, #blocked>`
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.op_traits import SameOperandsAndResultElementType, SameOperandsAndResultShape
from weft.ir.operation import Op, operation
from weft.ir.type_constraints import TENSOR
from weft.layouts import AutoEncoding

__all__ = ["Gluon", "SetAutoLayoutOp"]


@operation
class SetAutoLayoutOp(Op):
    """Set the layout of a tensor that has an auto layout.

    `%r = gluon.set_auto_layout %x : tensor<64xf32, #gluon.auto_encoding>
    -> tensor<64xf32, #blocked>`
    """

    name = "gluon.set_auto_layout"
    src = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultShape(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        source, result = types.encoding(self.src.type), types.encoding(self.result.type)
        if not isinstance(source, AutoEncoding):
            raise VerifyException("input tensor must have an auto layout type")
        if result is None:
            raise VerifyException("result tensor must have an encoding")
        if isinstance(result, AutoEncoding):
            raise VerifyException("result type must not be auto layout")


Gluon = Dialect("gluon", [SetAutoLayoutOp])
