"""Operations of tt that create tensors and change their shape."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, i32_prop
from weft.ir.op_traits import (
    SameOperandsAndResultElementType,
    SameOperandsAndResultEncoding,
    SameTypeOperands,
    TypesMatchWith,
)
from weft.ir.operation import Infer, Op, element_of, operation, same
from weft.ir.type_constraints import ANY_TYPE, INT_TENSOR, TENSOR
from weft.ir.type_inference import (
    are_equivalent,
    infer_layout,
    inference_failure,
    require_inferred_types,
)
from weft.layouts import SliceEncoding
from weft.layouts.inference import (
    infer_reshape,
    infer_split,
    infer_trans,
)


@operation
class MakeRangeOp(Op):
    """Create the i32 tensor start, start + 1, …, end - 1.

    `%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>`
    """

    name = "tt.make_range"
    start = i32_prop()
    end = i32_prop()
    result = result_def(INT_TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"

    def verify_(self) -> None:
        first, last = self.start.value.data, self.end.value.data
        shape = types.shape(self.result.type)
        if first >= last:
            raise VerifyException("start must be less than end")
        if len(shape) != 1:
            raise VerifyException("return type must be a 1D tensor")
        if shape[0] != last - first:
            raise VerifyException(
                f"number of elements in returned tensor, {shape[0]}, must match size of range "
                f"[{first}, {last}), which has {last - first} elements"
            )
        if types.element(self.result.type) != types.i32:
            raise VerifyException("returned tensor must have i32 elements")


@operation
class SplatOp(Op):
    """Broadcast a scalar to all elements of a tensor.

    `%t = tt.splat %x : f32 -> tensor<64xf32>`
    """

    name = "tt.splat"
    src = operand_def(ANY_TYPE)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultElementType(), SameOperandsAndResultEncoding())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"


@operation
class UnsplatOp(Op):
    """Extract the element of a tensor of one element.  `%x = tt.unsplat %t : tensor<1xf32>`"""

    name = "tt.unsplat"
    src = operand_def(TENSOR)
    result = result_def(ANY_TYPE)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"
    INFER: ClassVar[Infer] = {"result": element_of("src")}

    def verify_(self) -> None:
        require_inferred_types(self, [types.element(self.src.type)])
        if prod(types.shape(self.src.type)) != 1:
            raise VerifyException("source tensor must have exactly one element")


@operation
class BroadcastOp(Op):
    """Repeat a tensor along its dimensions of size 1; the rank stays.

    `%r = tt.broadcast %t : tensor<64x1xf32> -> tensor<64x32xf32>`
    """

    name = "tt.broadcast"
    src = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultElementType(), SameOperandsAndResultEncoding())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = types.shape(self.src.type), types.shape(self.result.type)
        if len(before) != len(after):
            raise VerifyException("rank of source must be same as rank of result")
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old not in (1, new):
                raise VerifyException(
                    f"Different dimensions at index {index} between source and result.  Broadcast "
                    "requires the source dimension to be 1."
                )


@operation
class ExpandDimsOp(Op):
    """Insert a dimension of size 1 at `axis`.

    `%r = tt.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>`
    """

    name = "tt.expand_dims"
    src = operand_def(TENSOR)
    axis = i32_prop()
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        source, axis = self.src.type, self.axis.value.data
        shape, encoding = types.shape(source), types.encoding(source)
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"axis {axis} is out of bounds for operand rank {len(shape)}")
        if encoding is not None and encoding.family != "unresolved":
            if not isinstance(encoding, SliceEncoding):
                raise inference_failure("ExpandDimsOp operand encoding must be SliceEncodingAttr")
            if encoding.dim != axis:
                raise inference_failure("Incompatible slice dimension for ExpandDimsOp operand")
            encoding = encoding.parent
        inferred = types.tensor((*shape[:axis], 1, *shape[axis:]), types.element(source), encoding)
        require_inferred_types(self, [inferred])


@operation
class ReshapeOp(Op):
    """Reshape a tensor, in row-major order of its elements.

    `allow_reorder` permits any order. `efficient_layout` marks a layout of the result that was
    chosen for speed, so that layout passes keep it.

    `%r = tt.reshape %t : tensor<8x4xf32> -> tensor<32xf32>`
    """

    name = "tt.reshape"
    src = operand_def(TENSOR)
    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` "
        "$efficient_layout^)? attr-dict `:` type($src) `->` type($result)"
    )

    def verify_(self) -> None:
        before, after = types.shape(self.src.type), types.shape(self.result.type)
        source, result = types.encoding(self.src.type), types.encoding(self.result.type)
        if prod(before) != prod(after):
            raise VerifyException("number of src and dst elements of reshape must be the same")
        if (source is None) != (result is None):
            raise VerifyException(
                "Op requires that either (a) src and dst both have encodings, or (b) neither does."
            )
        if source is None or self.allow_reorder is not None:
            return
        inferred = infer_layout(source, lambda: infer_reshape(source, before, after))
        if not are_equivalent(after, inferred, result):
            raise VerifyException(f"Expected result encoding {inferred} but was {result}")


@operation
class TransOp(Op):
    """Permute the dimensions: result dimension i is source dimension order[i].

    `%r = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>`
    """

    name = "tt.trans"
    src = operand_def(TENSOR)
    order = array_prop()
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        order, before = array_values(self.order), types.shape(self.src.type)
        if len(order) != len(before):
            raise VerifyException("order must have the same size as the source tensor")
        if sorted(order) != list(range(len(before))):
            raise VerifyException("order must be a permutation of 0..n-1")
        if tuple(before[i] for i in order) != types.shape(self.result.type):
            raise VerifyException("result shape must match the permutation of the source shape")
        encoding = types.encoding(self.src.type)
        if encoding is not None:
            layout = encoding
            encoding = infer_layout(layout, lambda: infer_trans(layout, before, order))
        shape, element = types.shape(self.result.type), types.element(self.src.type)
        inferred = types.tensor(shape, element, encoding)
        require_inferred_types(self, [inferred], equivalent_layouts=True)


@operation
class CatOp(Op):
    """Concatenate two tensors; the order of the elements is unspecified.

    `%r = tt.cat %a, %b : tensor<8xf32> -> tensor<16xf32>`
    """

    name = "tt.cat"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameTypeOperands(), SameOperandsAndResultElementType())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    INFER: ClassVar[Infer] = {"rhs": same("lhs")}


@operation
class JoinOp(Op):
    """Stack two tensors along a new last dimension, of size 2.

    `%r = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>`
    """

    name = "tt.join"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), SameTypeOperands())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    INFER: ClassVar[Infer] = {"rhs": same("lhs")}

    def verify_(self) -> None:
        expected, shape = (*types.shape(self.lhs.type), 2), types.shape(self.result.type)
        if shape != expected:
            raise VerifyException(
                f"result shape must be ({', '.join(map(str, expected))}), but got "
                f"{', '.join(map(str, shape))}"
            )
        if types.element(self.result.type) != types.element(self.lhs.type):
            raise VerifyException("result element type must match the input element type")
        source, result = types.encoding(self.lhs.type), types.encoding(self.result.type)
        if result is None:
            if source is not None:
                raise VerifyException("result encoding must be specified")
            return
        # A layout can be joined in several ways, but splits in one.
        half = infer_layout(result, lambda: infer_split(result, shape))
        if not are_equivalent(shape[:-1], half, source):
            raise VerifyException("incompatible join layout")


@operation
class SplitOp(Op):
    """Split a tensor along its last dimension, of size 2.

    `%a, %b = tt.split %t : tensor<8x2xf32> -> tensor<8xf32>`
    """

    name = "tt.split"
    src = operand_def(TENSOR)
    outLHS = result_def(TENSOR)
    outRHS = result_def(TENSOR)
    traits = traits_def(Pure(), TypesMatchWith("outLHS and outRHS types match", "outLHS", "outRHS"))
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("outLHS", "outRHS")
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($outLHS)"
    INFER: ClassVar[Infer] = {"outRHS": same("outLHS")}

    def verify_(self) -> None:
        shape, encoding = types.shape(self.src.type), types.encoding(self.src.type)
        if shape[-1:] != (2,):
            raise inference_failure("last dimension of input tensor must be 2")
        if encoding is not None:
            layout = encoding
            encoding = infer_layout(layout, lambda: infer_split(layout, shape))
        half = types.tensor(shape[:-1], types.element(self.src.type), encoding)
        require_inferred_types(self, [half, half], equivalent_layouts=True)


OPERATIONS = (
    MakeRangeOp,
    SplatOp,
    UnsplatOp,
    BroadcastOp,
    ExpandDimsOp,
    ReshapeOp,
    TransOp,
    CatOp,
    JoinOp,
    SplitOp,
)

__all__ = [
    "BroadcastOp",
    "CatOp",
    "ExpandDimsOp",
    "JoinOp",
    "MakeRangeOp",
    "OPERATIONS",
    "ReshapeOp",
    "SplatOp",
    "SplitOp",
    "TransOp",
    "UnsplatOp",
]
