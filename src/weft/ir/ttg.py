"""The ttg dialect: what Triton adds once tensors have layouts.

    %1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.operation import Op, operation


@operation
class ConvertLayoutOp(Op):
    """Give a tensor another layout: the same elements, held by other threads.

    `%1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>`
    """

    name = "ttg.convert_layout"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        if types.with_encoding(before, None) != types.with_encoding(after, None):
            raise VerifyException(f"ttg.convert_layout: {before} to {after} changes more than layout")


Ttg = Dialect("ttg", [ConvertLayoutOp])
