"""Operations of amdg on tensors in registers: parts, transposes, conversions of small floats."""

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
    """Take a box of a tensor at constant offsets, without moving data between threads.

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
            raise VerifyException(
                f"{self.name}: {self.source.type} and {self.result.type} differ in element type"
            )
        if not len(whole) == len(part) == len(offsets):
            raise VerifyException(
                f"{self.name}: {list(offsets)} of {self.source.type} does not give "
                f"{self.result.type}: the ranks differ"
            )
        for dim, (offset, size, limit) in enumerate(zip(offsets, part, whole, strict=True)):
            if not 0 <= offset <= limit - size:
                raise VerifyException(
                    f"{self.name}: {size} elements from {offset} on leave dimension {dim} of "
                    f"{self.source.type}"
                )


@operation
class ConcatOp(Op):
    """Put tensors of one type side by side into a larger one.

    `%t = amdg.concat %a, %b : tensor<64x64xf16, #l>, tensor<64x64xf16, #l> -> tensor<128x64xf16,
    #m>`
    """

    name = "amdg.concat"
    sources = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$sources attr-dict `:` type($sources) `->` type($result)"

    def verify_(self) -> None:
        given = {value.type for value in self.sources}
        if len(given) != 1:
            raise VerifyException(f"{self.name}: sources of one type expected")
        (type_,) = given
        total = prod(types.shape(type_)) * len(self.sources)
        if total != prod(types.shape(self.result.type)):
            raise VerifyException(
                f"{self.name}: {len(self.sources)} times {type_} does not fill {self.result.type}"
            )


@operation
class InThreadTransposeOp(Op):
    """Reorder the elements that each thread holds, so that it can write vectors along the other
    dimension.

    `%r = amdg.in_thread_transpose %t : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #linear>`
    """

    name = "amdg.in_thread_transpose"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        if types.with_encoding(before, None) != types.with_encoding(after, None):
            raise VerifyException(f"{self.name}: {before} to {after} changes more than layout")


@operation
class UpcastMXFPOp(Op):
    """Unpack and scale microscaling floats, one scale for 32 elements along K.

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
    """Unpack fp4 along an axis and multiply by scales, one per result element.

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
        packed, axis = list(types.shape(self.input.type)), self.axis.value.data
        if not 0 <= axis < len(packed):
            raise VerifyException(f"{self.name}: axis {axis} is outside of {self.input.type}")
        packed[axis] *= 2
        if tuple(packed) != types.shape(self.output.type):
            raise VerifyException(
                f"{self.name}: unpacking axis {axis} of {self.input.type} does not give "
                f"{self.output.type}"
            )
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
            raise VerifyException(
                f"{self.name}: {self.input.type} and {self.output.type} differ in shape"
            )
        _check_scale(self)


def _check_scale(op: ScaledUpcastFp4Op | ScaledUpcastFp8Op) -> None:
    if types.shape(op.scale.type) != types.shape(op.output.type):
        raise VerifyException(
            f"{op.name}: one scale per result element expected; found {op.scale.type} for "
            f"{op.output.type}"
        )


OPERATIONS = (
    ExtractSliceOp,
    ConcatOp,
    InThreadTransposeOp,
    UpcastMXFPOp,
    ScaledUpcastFp4Op,
    ScaledUpcastFp8Op,
)
