"""Operations of amdg on tensors in registers: slices, transposes, casts of small floats."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.irdl import operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import bool_prop, enum_prop, i32_prop, int_list_prop
from weft.ir.enums import ScaleDotElemType
from weft.ir.op_traits import (
    Elementwise,
    SameOperandsAndResultEncoding,
    SameOperandsAndResultShape,
)
from weft.ir.operation import Op, operation
from weft.ir.ttg.layout import verify_fp4_axis
from weft.ir.type_constraints import RANKED_TENSOR, TENSOR, ranked_tensor_of
from weft.layouts import BlockedEncoding, DotOperandEncoding, LinearEncoding, LinearLayout, gf2
from weft.layouts.dimension_order import transposed_in_thread

__all__ = [
    "OPERATIONS",
    "ConcatOp",
    "ExtractSliceOp",
    "InThreadTransposeOp",
    "ScaledUpcastFp4Op",
    "ScaledUpcastFp8Op",
    "UpcastMXFPOp",
]


_MOST_REGISTER_BITS = 12  # of a slice that is visited register by register
_MICROSCALED = (types.bf16, types.f16, types.i8, types.f8E4M3FN, types.f8E5M2)
_ELEMENTS_PER_SCALE = 32
_PACKED_FP4 = ranked_tensor_of("8-bit signless integer", lambda type_: type_ == types.i8)
_SCALES = ranked_tensor_of(
    "bfloat16 type or 8-bit signless integer", lambda type_: type_ in (types.bf16, types.i8)
)
_FLOAT8 = ranked_tensor_of(
    "f8E4M3FN type or f8E5M2 type", lambda type_: type_ in (types.f8E4M3FN, types.f8E5M2)
)
_HIGH_PRECISION = ranked_tensor_of(
    "16-bit float or bfloat16 type or 32-bit float",
    lambda type_: type_ in (types.f16, types.bf16, types.f32),
)


def _check_registers(source: LinearLayout, elements: Sequence[Sequence[int]]) -> None:
    """Require that the first thread holds the elements; all others then hold theirs.

    Args:
        source: The layout of the source.
        elements: Elements of the source. The sums of any of them are required, too, so that a
            basis covers all registers.
    """
    span = gf2.Span(source.images("register"))
    shifts = tuple(source.out_shifts.values())
    for element in elements:
        packed = sum(entry << shift for entry, shift in zip(element, shifts, strict=True))
        if span.reduce(packed):
            raise VerifyException(
                f"No source register holds the element for destination index {list(element)}"
            )


def _check_lanes(source: LinearLayout, result: LinearLayout) -> None:
    """Require one distribution over lanes and warps."""
    before, after = source.bases, result.bases
    if any(before.get(name) != after.get(name) for name in ("lane", "warp")):
        raise VerifyException(
            "Lane and warp dim basis must match between source and destination layout."
        )


@operation
class ExtractSliceOp(Op):
    """Extract a slice of a tensor at constant offsets; each thread keeps its own elements.

    `%s = amdg.extract_slice %t [0, 32] : tensor<128x64xf16, #blocked> to tensor<128x32xf16, …>`
    """

    name = "amdg.extract_slice"
    source = operand_def(RANKED_TENSOR)
    static_offsets = int_list_prop(types.i64)
    result = result_def(RANKED_TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$source $static_offsets attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        whole, part = types.shape(self.source.type), types.shape(self.result.type)
        offsets = array_values(self.static_offsets)
        if types.element(self.source.type) != types.element(self.result.type):
            raise VerifyException("result element type must match source element type")
        if not len(whole) == len(part) == len(offsets):
            raise VerifyException("result rank must be equal to source rank")
        for dim, (offset, size, limit) in enumerate(zip(offsets, part, whole, strict=True)):
            if size > limit:
                raise VerifyException(f"result shape cannot exceed source shape at dimension {dim}")
            if not 0 <= offset <= limit - size:
                raise VerifyException(f"invalid offset at dimension {dim}")
        source, result = types.encoding(self.source.type), types.encoding(self.result.type)
        if source is None or result is None:
            raise VerifyException("requires tensors with a layout")
        before, after = source.linear(whole), result.linear(part)
        images = after.images("register")
        bases = [after.unpack(image) for image in images]
        if any(e & o for basis in bases for e, o in zip(basis, offsets, strict=True)):
            # Sums with a carry are no XOR: visit each register.
            if len(bases) > _MOST_REGISTER_BITS:
                raise VerifyException("offsets must be multiples of the slice")
            elements = map(after.unpack, gf2.linear_combinations(images))
            bases = [tuple(map(sum, zip(own, offsets, strict=True))) for own in elements]
        _check_registers(before, [offsets, *bases])
        _check_lanes(before, after)


@operation
class ConcatOp(Op):
    """Concatenate tensors of one type, the tiles of a larger one, without exchange of data.

    `%t = amdg.concat %a, %b : tensor<64x64xf16, #l>, tensor<64x64xf16, #l> -> tensor<128x64xf16,
    #m>`
    """

    name = "amdg.concat"
    sources = var_operand_def(TENSOR)
    result = result_def(RANKED_TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$sources attr-dict `:` type($sources) `->` type($result)"

    def verify_(self) -> None:
        if not self.sources:
            raise VerifyException("requires at least one source")
        tile_type, type_ = self.sources[0].type, self.result.type
        tile, whole = types.shape(tile_type), types.shape(type_)
        if len(tile) != len(whole):
            raise VerifyException("Source and destination tensors must have the same rank.")
        if 0 in tile or any(size % part for size, part in zip(whole, tile, strict=True)):
            raise VerifyException("Source and destination tensor shapes don't match.")
        count = prod(size // part for size, part in zip(whole, tile, strict=True))
        if count != len(self.sources):
            raise VerifyException(
                f"Number of source tiles ({len(self.sources)}) doesn't match required count "
                f"({count})."
            )
        if len({value.type for value in self.sources}) != 1:
            raise VerifyException("All sources must have identical tensor types.")
        if types.element(tile_type) != types.element(type_):
            raise VerifyException("Element types of sources and destination must match.")
        source, result = types.encoding(tile_type), types.encoding(type_)
        if source is None or result is None:
            raise VerifyException("requires tensors with a layout")
        before, after = source.linear(tile), result.linear(whole)
        bases = [after.unpack(image) for image in after.images("register")]
        _check_registers(
            before,
            [[entry % part for entry, part in zip(basis, tile, strict=True)] for basis in bases],
        )
        _check_lanes(before, after)


@operation
class InThreadTransposeOp(Op):
    """Transpose the elements within each thread, to store vectors along the other dimension.

    `%r = amdg.in_thread_transpose %t : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #linear>`
    """

    name = "amdg.in_thread_transpose"
    src = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = self.src.type, self.result.type
        shape = types.shape(before)
        if types.element(before) != types.element(after):
            raise VerifyException("Expect input and output tensor to have same dtype")
        if shape != types.shape(after):
            raise VerifyException("Expect equal input and output shapes")
        if len(shape) != 2:
            raise VerifyException("Expect 2d tensor")
        source, result = types.encoding(before), types.encoding(after)
        if not isinstance(source, BlockedEncoding):
            raise VerifyException("Expect input tensor in Blocked encoding")
        if result is None:
            raise VerifyException("requires a result with a layout")
        expected = transposed_in_thread(source, shape).linear(shape)
        if result.linear(shape) is not expected:
            raise VerifyException(
                f"Expect output layout to be transposed per thread: {expected}\nGot following dst "
                f"layout: {result.linear(shape)}"
            )


@operation
class UpcastMXFPOp(Op):
    """Convert microscaling (MX) floats to bf16 or fp16, with one scale per 32 elements along K.

    `%r = amdg.upcast_mxfp %x, %s fp_type = e2m1 {fastMath = false} : tensor<128x32xi8, #dot>,
    tensor<128x2xi8, #blocked> -> tensor<128x64xbf16, #dot1>`
    """

    name = "amdg.upcast_mxfp"
    src = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    fp_type = enum_prop(ScaleDotElemType)
    fastMath = bool_prop()
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$src `,` $scale `fp_type` `=` $fp_type attr-dict `:` type($src) `,` type($scale) `->` "
        "type($result)"
    )

    def verify_(self) -> None:
        if types.element(self.src.type) not in _MICROSCALED:
            raise VerifyException(
                "element type of the first operand must be bf16/fp16, OCP fp8/bf8 or i8"
            )
        if types.element(self.scale.type) != types.i8:
            raise VerifyException("element type of the second operand must be uint8")
        shape, scales = types.shape(self.src.type), types.shape(self.scale.type)
        if len(shape) != len(scales) or len(shape) < 2:
            raise VerifyException("operands must have the same number of dimensions, at least 2")
        kind = ScaleDotElemType.of(self.fp_type)
        if kind not in (ScaleDotElemType.E2M1, ScaleDotElemType.E4M3, ScaleDotElemType.E5M2):
            raise VerifyException("NYI: fpType must be E2M1, E4M3, or E5M2")
        source, scale = types.encoding(self.src.type), types.encoding(self.scale.type)
        if (source is None) != (scale is None):
            raise VerifyException("Expected either both or neither operands to have an encoding")
        if source is None:
            return
        if not isinstance(source, DotOperandEncoding):
            raise VerifyException("Expected a DotOperandEncodingAttr for values")
        if not isinstance(scale, BlockedEncoding | LinearEncoding):
            raise VerifyException(
                "Expected a BlockOperandEncoding or LinearOperandEncoding for scales"
            )
        batch = int(len(shape) == 3)
        k, row = (1 + batch, batch) if source.op_idx == 0 else (batch, 1 + batch)
        packed = 2 if kind is ScaleDotElemType.E2M1 else 1
        if shape[k] != _ELEMENTS_PER_SCALE // packed * scales[-1]:
            raise VerifyException(
                "K dimension of first operand must be 16 times larger than last/K dimension of "
                "the second operand"
            )
        if batch and shape[0] != scales[0]:
            raise VerifyException("batch dimension must match between operands")
        if shape[row] != scales[batch]:
            raise VerifyException("M/N dimension must match between operands")


@operation
class ScaledUpcastFp4Op(Op):
    """Convert packed fp4 along an axis and multiply by scales, one per result element.

    `%r = amdg.scaled_upcast_fp4 %x scale %s {axis = 1 : i32} : tensor<64x32xi8, #a>,
    tensor<64x64xbf16, #b> -> tensor<64x64xbf16, #b>`
    """

    name = "amdg.scaled_upcast_fp4"
    input = operand_def(_PACKED_FP4)
    scale = operand_def(_SCALES)
    axis = i32_prop()
    output = result_def(_HIGH_PRECISION)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)"
    )

    def verify_(self) -> None:
        if types.shape(self.scale.type) != types.shape(self.output.type):
            raise VerifyException("scale and output should have the same shape")
        ranks = len(types.shape(self.input.type)), len(types.shape(self.output.type))
        if ranks[0] != ranks[1]:
            raise VerifyException(f"source rank {ranks[0]} != result rank {ranks[1]}")
        verify_fp4_axis(self.axis.value.data, self.input.type, self.output.type)


@operation
class ScaledUpcastFp8Op(Op):
    """Convert fp8 and multiply by scales, one per element.

    `%r = amdg.scaled_upcast_fp8 %x scale %s : tensor<64x64xf8E4M3FN, #b>, tensor<64x64xbf16, #b>
    -> tensor<64x64xbf16, #b>`
    """

    name = "amdg.scaled_upcast_fp8"
    input = operand_def(_FLOAT8)
    scale = operand_def(_SCALES)
    output = result_def(_HIGH_PRECISION)
    traits = traits_def(
        Pure(), Elementwise(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding()
    )
    FORMAT: ClassVar[str] = (
        "$input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)"
    )


OPERATIONS = (
    ExtractSliceOp,
    ConcatOp,
    InThreadTransposeOp,
    UpcastMXFPOp,
    ScaledUpcastFp4Op,
    ScaledUpcastFp8Op,
)
