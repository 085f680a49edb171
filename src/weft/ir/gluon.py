"""The gluon dialect: tensors whose layout is inferred later.

`%1 = gluon.set_auto_layout %0 : tensor<64xf32, #gluon.auto_encoding> -> tensor<64xf32, #blocked>`
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure

from weft.ir.operation import Op, operation
from weft.ir.type_rules import require_same_element_type, require_same_shape

__all__ = ["Gluon", "SetAutoLayoutOp"]


@operation
class SetAutoLayoutOp(Op):
    """Set the layout of a tensor that has an auto layout.

    `%r = gluon.set_auto_layout %x : tensor<64xf32, #gluon.auto_encoding>
    -> tensor<64xf32, #blocked>`
    """

    name = "gluon.set_auto_layout"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_shape(self.src.type, self.result.type)
        require_same_element_type(self.src.type, self.result.type)


Gluon = Dialect("gluon", [SetAutoLayoutOp])
