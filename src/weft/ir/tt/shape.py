"""Operations of tt that make tensors and change their shape."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, i32_prop
from weft.ir.operation import Infer, Op, element_of, operation, same


def check_elements(op: Op, source: Attribute, result: Attribute) -> None:
    """Require one element type on both sides.

    Raises: VerifyException: the element types differ.
    """
    if types.element(source) != types.element(result):
        raise VerifyException(f"{op.name}: element types differ: {source} and {result}")


@operation
class MakeRangeOp(Op):
    """The numbers from start to below end.

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
            raise VerifyException(
                f"tt.make_range: start {first} and end {last} do not fit {self.result.type}"
            )


@operation
class SplatOp(Op):
    """Fill a tensor with one scalar.  `%t = tt.splat %x : f32 -> tensor<64xf32>`"""

    name = "tt.splat"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check_elements(self, self.src.type, self.result.type)


@operation
class UnsplatOp(Op):
    """Take the only element of a tensor.  `%x = tt.unsplat %t : tensor<1xf32>`"""

    name = "tt.unsplat"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src)"
    INFER: ClassVar[Infer] = {"result": element_of("src")}


@operation
class BroadcastOp(Op):
    """Repeat along the dimensions of size 1.

    `%r = tt.broadcast %t : tensor<64x1xf32> -> tensor<64x32xf32>`
    """

    name = "tt.broadcast"
    src = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check_elements(self, self.src.type, self.result.type)
        before, after = types.shape(self.src.type), types.shape(self.result.type)
        if len(before) != len(after) or any(
            x not in (1, y) for x, y in zip(before, after, strict=True)
        ):
            raise VerifyException(
                f"tt.broadcast: only dimensions of size 1 can grow: "
                f"{self.src.type} to {self.result.type}"
            )


@operation
class ExpandDimsOp(Op):
    """Insert a dimension of size 1.

    `%r = tt.expand_dims %t {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>`
    """

    name = "tt.expand_dims"
    src = operand_def()
    axis = i32_prop()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        check_elements(self, self.src.type, self.result.type)
        expected = list(types.shape(self.src.type))
        expected.insert(self.axis.value.data, 1)
        if tuple(expected) != types.shape(self.result.type):
            raise VerifyException(
                f"tt.expand_dims: axis {self.axis.value.data} of {self.src.type} does not give "
                f"{self.result.type}"
            )


@operation
class ReshapeOp(Op):
    """Read the elements, row by row, as another shape.

    With `allow_reorder` their order is free; `efficient_layout` says the result's layout was
    chosen and must stay.  `%r = tt.reshape %t : tensor<8x4xf32> -> tensor<32xf32>`
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
        check_elements(self, self.src.type, self.result.type)
        if prod(types.shape(self.src.type)) != prod(types.shape(self.result.type)):
            raise VerifyException(
                f"tt.reshape: the number of elements differs: {self.src.type} to {self.result.type}"
            )


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
        check_elements(self, self.src.type, self.result.type)
        order, before = array_values(self.order), types.shape(self.src.type)
        if sorted(order) != list(range(len(before))):
            raise VerifyException(f"tt.trans: order {order} is no permutation of {self.src.type}")
        if tuple(before[i] for i in order) != types.shape(self.result.type):
            raise VerifyException(
                f"tt.trans: order {order} of {self.src.type} does not give {self.result.type}"
            )


@operation
class CatOp(Op):
    """Put two tensors one after the other; the order of elements is free.

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
    """Stack two tensors along a new last dimension of size 2.

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
        if types.shape(self.result.type) != (*types.shape(self.lhs.type), 2):
            raise VerifyException(f"tt.join: {self.lhs.type} does not give {self.result.type}")


@operation
class SplitOp(Op):
    """Take a last dimension of size 2 apart.

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
        if types.shape(self.src.type) != (*types.shape(self.outLHS.type), 2):
            raise VerifyException(f"tt.split: {self.src.type} does not give {self.outLHS.type}")


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
