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
from weft.ir.operation import Infer, Op, element_of, operation, same
from weft.ir.type_rules import require_same_element_type


@operation
class MakeRangeOp(Op):
    """Create the i32 tensor start, start + 1, …, end - 1.

    `%r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>`
    """

    name = "tt.make_range"
    start = i32_prop()
    end = i32_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"

    def verify_(self) -> None:
        first, last = self.start.value.data, self.end.value.data
        if types.shape(self.result.type) != (last - first,):
            count = types.shape(self.result.type)[0] if types.shape(self.result.type) else 1
            raise VerifyException(
                f"number of elements in returned tensor, {count}, must match size of range "
                f"[{first}, {last}), which has {last - first} elements"
            )


@operation
class SplatOp(Op):
    """Broadcast a scalar to all elements of a tensor.

    `%t = tt.splat %x : f32 -> tensor<64xf32>`
    """

    name = "tt.splat"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_element_type(self.src.type, self.result.type)


@operation
class UnsplatOp(Op):
    """Extract the element of a tensor of one element.  `%x = tt.unsplat %t : tensor<1xf32>`"""

    name = "tt.unsplat"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"
    INFER: ClassVar[Infer] = {"result": element_of("src")}


@operation
class BroadcastOp(Op):
    """Repeat a tensor along its dimensions of size 1; the rank stays.

    `%r = tt.broadcast %t : tensor<64x1xf32> -> tensor<64x32xf32>`
    """

    name = "tt.broadcast"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_element_type(self.src.type, self.result.type)
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
    src = operand_def()
    axis = i32_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_element_type(self.src.type, self.result.type)
        shape = list(types.shape(self.src.type))
        shape.insert(self.axis.value.data, 1)
        if tuple(shape) != types.shape(self.result.type):
            inferred = types.with_shape(self.src.type, tuple(shape))
            raise VerifyException(
                f"inferred type(s) '{inferred}' are incompatible with return type(s) of operation "
                f"'{self.result.type}'"
            )


@operation
class ReshapeOp(Op):
    """Reshape a tensor, in row-major order of its elements.

    `allow_reorder` permits any order. `efficient_layout` marks a layout of the result that was
    chosen for speed, so that layout passes keep it.

    `%r = tt.reshape %t : tensor<8x4xf32> -> tensor<32xf32>`
    """

    name = "tt.reshape"
    src = operand_def()
    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` "
        "$efficient_layout^)? attr-dict `:` type($src) `->` type($result)"
    )

    def verify_(self) -> None:
        require_same_element_type(self.src.type, self.result.type)
        if prod(types.shape(self.src.type)) != prod(types.shape(self.result.type)):
            raise VerifyException("number of src and dst elements of reshape must be the same")


@operation
class TransOp(Op):
    """Permute the dimensions: result dimension i is source dimension order[i].

    `%r = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>`
    """

    name = "tt.trans"
    src = operand_def()
    order = array_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        require_same_element_type(self.src.type, self.result.type)
        order, before = array_values(self.order), types.shape(self.src.type)
        if len(order) != len(before):
            raise VerifyException(
                "order must have the same size as the rank of the operand and result"
            )
        if sorted(order) != list(range(len(before))):
            raise VerifyException("order must be a permutation of [0, ..., rank - 1]")
        if tuple(before[i] for i in order) != types.shape(self.result.type):
            raise VerifyException("result shape must match the permutation of the source shape")


@operation
class CatOp(Op):
    """Concatenate two tensors; the order of the elements is unspecified.

    `%r = tt.cat %a, %b : tensor<8xf32> -> tensor<16xf32>`
    """

    name = "tt.cat"
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    INFER: ClassVar[Infer] = {"rhs": same("lhs")}


@operation
class JoinOp(Op):
    """Stack two tensors along a new last dimension, of size 2.

    `%r = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>`
    """

    name = "tt.join"
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    INFER: ClassVar[Infer] = {"rhs": same("lhs")}

    def verify_(self) -> None:
        expected, shape = (*types.shape(self.lhs.type), 2), types.shape(self.result.type)
        if shape != expected:
            raise VerifyException(
                f"result shape must be ({', '.join(map(str, expected))}), but got "
                f"{', '.join(map(str, shape))}"
            )


@operation
class SplitOp(Op):
    """Split a tensor along its last dimension, of size 2.

    `%a, %b = tt.split %t : tensor<8x2xf32> -> tensor<8xf32>`
    """

    name = "tt.split"
    src = operand_def()
    outLHS = result_def()
    outRHS = result_def()
    traits = traits_def(Pure())
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("outLHS", "outRHS")
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($outLHS)"
    INFER: ClassVar[Infer] = {"outRHS": same("outLHS")}

    def verify_(self) -> None:
        shape, result = types.shape(self.src.type), types.shape(self.outLHS.type)
        if shape[-1:] != (2,):
            raise VerifyException("last dimension of input tensor must be 2")
        if shape[:-1] != result:
            raise VerifyException(
                f"result shape must be {list(shape[:-1])}, but got {list(result)}"
            )


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
