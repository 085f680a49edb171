"""Operations of ttg that change the layout of a tensor."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import types
from weft.ir.constraints import i32_prop
from weft.ir.op_traits import SameOperandsAndResultElementType, SameOperandsAndResultShape
from weft.ir.operation import Op, operation
from weft.ir.type_constraints import FLOAT_TENSOR, I8_TENSOR, TENSOR
from weft.ir.type_inference import are_equivalent
from weft.layouts.fp4_packing import infer_pack


@operation
class ConvertLayoutOp(Op):
    """Convert a tensor to another layout: the same elements, distributed differently.

    `%1 = ttg.convert_layout %0 : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>`
    """

    name = "ttg.convert_layout"
    src = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultShape(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class Fp4ToFpOp(Op):
    """Convert packed fp4 (e2m1) to bf16 or fp16, doubling the size along an axis.

    The lower half of each byte is the first element.

    `%1 = ttg.fp4_to_fp %0 {axis = 1 : i32} : tensor<64x32xi8, #blocked> ->
    tensor<64x64xbf16, #blocked1>`
    """

    name = "ttg.fp4_to_fp"
    src = operand_def(I8_TENSOR)
    axis = i32_prop()
    result = result_def(FLOAT_TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        axis, source, result = self.axis.value.data, self.src.type, self.result.type
        element = types.element(result)
        if element not in (types.bf16, types.f16):
            raise VerifyException(f"only bf16 or f16 is supported for now, got '{element}'")
        verify_fp4_axis(axis, source, result)
        verify_fp4_layouts(axis, source, result)


def verify_fp4_axis(axis: int, packed: Attribute, unpacked: Attribute) -> None:
    """Require that a tensor of packed fp4 doubles along an axis.

    Raises:
        VerifyException: The axis or the shapes differ.
    """
    source, result = types.shape(packed), types.shape(unpacked)
    if len(source) != len(result):
        raise VerifyException(f"source rank {len(source)} != result rank {len(result)}")
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


def verify_fp4_layouts(axis: int, packed: Attribute, unpacked: Attribute) -> None:
    """Require that the thread that holds a byte holds its two elements.

    Raises:
        VerifyException: The layouts differ.
    """
    source, result = types.encoding(packed), types.encoding(unpacked)
    if (source is None) != (result is None):
        raise VerifyException("source and result must both have an encoding, or neither")
    if source is None or result is None:
        return
    if result.family == "unresolved":
        raise VerifyException("failed to infer encoding")
    try:
        inferred = infer_pack(result, types.shape(unpacked), axis)
    except LayoutError as error:
        raise VerifyException("failed to infer encoding") from error
    if not are_equivalent(types.shape(packed), inferred, source):
        raise VerifyException(f"Src and Dst encodings are not compatible: {inferred} and {source}")


OPERATIONS = (ConvertLayoutOp, Fp4ToFpOp)

__all__ = [
    "OPERATIONS",
    "ConvertLayoutOp",
    "Fp4ToFpOp",
    "verify_fp4_axis",
    "verify_fp4_layouts",
]
