"""Operations of ttg that change the layout of a tensor."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import i32_prop
from weft.ir.operation import Op, operation
from weft.ir.type_rules import require_same_element_type, require_same_shape, require_type


@operation
class ConvertLayoutOp(Op):
    """Convert a tensor to another layout: the same elements, distributed differently.

    `%1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>`
    """

    name = "ttg.convert_layout"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_shape(self.src.type, self.result.type)
        require_same_element_type(self.src.type, self.result.type)


@operation
class Fp4ToFpOp(Op):
    """Convert packed fp4 (e2m1) to bf16 or fp16, doubling the size along an axis.

    The lower half of each byte is the first element.

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
        source = self.src.type
        is_packed = types.element(source) == types.i8
        description = "ranked tensor of 8-bit signless integer values"
        require_type(is_packed, "operand #0", description, source)
        verify_fp4_axis(self.axis.value.data, source, self.result.type)


def verify_fp4_axis(axis: int, packed: Attribute, unpacked: Attribute) -> None:
    """Require that a tensor of packed fp4 doubles along an axis.

    Raises:
        VerifyException: The axis or the shapes differ.
    """
    source, result = types.shape(packed), types.shape(unpacked)
    if not 0 <= axis < len(source):
        raise VerifyException(f"axis {axis} out of range for rank {len(source)}")
    for dim, (size, double) in enumerate(zip(source, result, strict=True)):
        if dim == axis and double != 2 * size:
            raise VerifyException(
                f"axis {axis} dimension must be 2x source dimension (src={size}, dst={double})"
            )
        if dim != axis and double != size:
            raise VerifyException(
                f"dimension {dim} mismatch (src={size}, dst={double}, axis={axis})"
            )


OPERATIONS = (ConvertLayoutOp, Fp4ToFpOp)

__all__ = ["OPERATIONS", "ConvertLayoutOp", "Fp4ToFpOp", "verify_fp4_axis"]
