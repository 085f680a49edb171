"""Operations of amdg on tensors in registers: slices, transposes, casts of small floats."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import bool_prop, enum_prop, i32_prop, int_list_prop
from weft.ir.enums import ScaleDotElemType
from weft.ir.operation import Op, operation
from weft.ir.ttg.layout import verify_fp4_axis

__all__ = [
    "OPERATIONS",
    "ConcatOp",
    "ExtractSliceOp",
    "InThreadTransposeOp",
    "ScaledUpcastFp4Op",
    "ScaledUpcastFp8Op",
    "UpcastMXFPOp",
]


@operation
class ExtractSliceOp(Op):
    """Extract a slice of a tensor at constant offsets; each thread keeps its own elements.

    `%s = amdg.extract_slice %t [0, 32] : tensor<128x64xf16, #blocked> to tensor<128x32xf16, …>`
    """

    name = "amdg.extract_slice"
    source = operand_def()
    static_offsets = int_list_prop(types.i64)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$source $static_offsets attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        whole, part = types.shape(self.source.type), types.shape(self.result.type)
        offsets = array_values(self.static_offsets)
        if types.element(self.source.type) != types.element(self.result.type):
            raise VerifyException("result element type must match source element type")
        if not len(whole) == len(part) == len(offsets):
            raise VerifyException("result rank must be equal to source rank and offsets size")
        for dim, (offset, size, limit) in enumerate(zip(offsets, part, whole, strict=True)):
            if not 0 <= offset <= limit - size:
                raise VerifyException(f"invalid offset at dimension {dim}")


@operation
class ConcatOp(Op):
    """Concatenate tensors of one type, the tiles of a larger one, without exchange of data.

    `%t = amdg.concat %a, %b : tensor<64x64xf16, #l>, tensor<64x64xf16, #l> -> tensor<128x64xf16,
    #m>`
    """

    name = "amdg.concat"
    sources = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$sources attr-dict `:` type($sources) `->` type($result)"

    def verify_(self) -> None:
        if len({value.type for value in self.sources}) != 1:
            raise VerifyException("All sources must have identical tensor types.")
        size, tile = (prod(types.shape(v.type)) for v in (self.result, self.sources[0]))
        if size != tile * len(self.sources):
            raise VerifyException(
                f"Number of source tiles ({len(self.sources)}) doesn't match required count "
                f"({size // tile})."
            )


@operation
class InThreadTransposeOp(Op):
    """Transpose the elements within each thread, to store vectors along the other dimension.

    `%r = amdg.in_thread_transpose %t : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #linear>`
    """

    name = "amdg.in_thread_transpose"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        if types.shape(before) != types.shape(after):
            raise VerifyException("Expect equal input and output shapes")
        if types.element(before) != types.element(after):
            raise VerifyException("Expect input and output tensor to have same dtype")


@operation
class UpcastMXFPOp(Op):
    """Convert microscaling (MX) floats to bf16 or fp16, with one scale per 32 elements along K.

    `%r = amdg.upcast_mxfp %x, %s fp_type = e2m1 {fastMath = false} : tensor<128x32xi8, #dot>,
    tensor<128x2xi8, #blocked> -> tensor<128x64xbf16, #dot1>`
    """

    name = "amdg.upcast_mxfp"
    src = operand_def()
    scale = operand_def()
    fp_type = enum_prop(ScaleDotElemType)
    fastMath = bool_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$src `,` $scale `fp_type` `=` $fp_type attr-dict `:` type($src) `,` type($scale) `->` "
        "type($result)"
    )


@operation
class ScaledUpcastFp4Op(Op):
    """Convert packed fp4 along an axis and multiply by scales, one per result element.

    `%r = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<64x32xi8, #a>,
    tensor<64x64xbf16, #b> -> tensor<64x64xbf16, #b>`
    """

    name = "amdg.scaled_upcast_fp4"
    input = operand_def()
    scale = operand_def()
    axis = i32_prop()
    output = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)"
    )

    def verify_(self) -> None:
        verify_fp4_axis(self.axis.value.data, self.input.type, self.output.type)
        _check_scale(self)


@operation
class ScaledUpcastFp8Op(Op):
    """Convert fp8 and multiply by scales, one per element.

    `%r = amdg.scaled_upcast_fp8 %x scale %s : tensor<64x64xf8E4M3FN, #b>, tensor<64x64xbf16, #b>
    -> tensor<64x64xbf16, #b>`
    """

    name = "amdg.scaled_upcast_fp8"
    input = operand_def()
    scale = operand_def()
    output = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)"
    )

    def verify_(self) -> None:
        if types.shape(self.input.type) != types.shape(self.output.type):
            raise VerifyException("input and output must have the same shape")
        _check_scale(self)


def _check_scale(op: ScaledUpcastFp4Op | ScaledUpcastFp8Op) -> None:
    if types.shape(op.scale.type) != types.shape(op.output.type):
        raise VerifyException("scale and output must have the same shape")


OPERATIONS = (
    ExtractSliceOp,
    ConcatOp,
    InThreadTransposeOp,
    UpcastMXFPOp,
    ScaledUpcastFp4Op,
    ScaledUpcastFp8Op,
)
