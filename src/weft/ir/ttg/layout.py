"""Operations of ttg that change where a tensor's elements are held."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import i32_prop
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
            raise VerifyException(
                f"ttg.convert_layout: {before} to {after} changes more than layout"
            )


@operation
class Fp4ToFpOp(Op):
    """Unpack two fp4 (e2m1) numbers per byte along an axis, low half first.

    `%1 = ttg.fp4_to_fp %0 {axis = 1 : i32} : tensor<64x32xi8, #blocked> ->
    tensor<64x64xbf16, #blocked1>`
    """

    name = "ttg.fp4_to_fp"
    src = operand_def()
    axis = i32_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        packed, axis = list(types.shape(self.src.type)), self.axis.value.data
        if types.element(self.src.type) != types.i8:
            raise VerifyException(f"ttg.fp4_to_fp: packed i8 expected, found {self.src.type}")
        if not 0 <= axis < len(packed):
            raise VerifyException(f"ttg.fp4_to_fp: axis {axis} is outside of {self.src.type}")
        packed[axis] *= 2
        if tuple(packed) != types.shape(self.result.type):
            raise VerifyException(
                f"ttg.fp4_to_fp: unpacking axis {axis} of {self.src.type} does not give "
                f"{self.result.type}"
            )


OPERATIONS = (ConvertLayoutOp, Fp4ToFpOp)

__all__ = ["OPERATIONS", "ConvertLayoutOp", "Fp4ToFpOp"]
