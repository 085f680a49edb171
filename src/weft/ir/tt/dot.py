"""Matrix multiplication of tiles."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.ir.operation import Infer, Op, operation, same

Shape = tuple[int, ...]


def require_dot_shapes(a: Shape, b: Shape, d: Shape) -> None:
    """Require shapes M×K, K×N and M×N, or the same after a batch dimension.

    Raises:
        VerifyException: They do not match.
    """
    if len(a) not in (2, 3):
        raise VerifyException("expected operands to be 2d or 3d")
    if not len(a) == len(b) == len(d):
        raise VerifyException("expected all operands to have the same rank")
    if a[-1] != b[-2]:
        raise VerifyException(
            "expected the last dimension of the first operand to be equal to the second-to-last "
            "dimension of the second operand"
        )
    if len(a) == 3 and not a[0] == b[0] == d[0]:
        raise VerifyException(
            "expected the first dimension of the first operand to be equal to the first dimension "
            "of the result"
        )
    if d[-2:] != (a[-2], b[-1]):
        raise VerifyException(
            "expected the output shape to be the concatenation of the last dimension of the first "
            "operand and the last dimension of the second"
        )


@operation
class DotOp(Op):
    """d = a · b + c, with a: M×K, b: K×N, c and d: M×N; a batch dimension may precede them.

    `inputPrecision` is how f32 operands are read; `maxNumImpreciseAcc` bounds how many products
    are accumulated in reduced precision.

    `%d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x64xf16>
    -> tensor<64x64xf32>`
    """

    name = "tt.dot"
    a = operand_def()
    b = operand_def()
    c = operand_def()
    inputPrecision = enum_prop(InputPrecision, InputPrecision.IEEE)
    maxNumImpreciseAcc = i32_prop(0)
    d = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? "
        "attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d")}

    def verify_(self) -> None:
        a, b, d = (types.shape(t) for t in (self.a.type, self.b.type, self.d.type))
        require_dot_shapes(a, b, d)


@operation
class DotScaledOp(Op):
    """d = (a × scales of a) · (b × scales of b) + c, with one scale per block along K.

    The operands are fp4 (packed in i8), fp6, fp8, bf16 or fp16; an operand without scales has
    scale 1. `lhs_k_pack` and `rhs_k_pack` say that packed fp4 lies along K.

    `%d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1
    {fastMath = false} : … * … -> tensor<64x64xf32>`
    """

    name = "tt.dot_scaled"
    a = operand_def()
    b = operand_def()
    c = operand_def()
    a_scale = opt_operand_def()
    b_scale = opt_operand_def()
    a_elem_type = enum_prop(ScaleDotElemType)
    b_elem_type = enum_prop(ScaleDotElemType)
    fastMath = bool_prop()
    lhs_k_pack = bool_prop(True)
    rhs_k_pack = bool_prop(True)
    d = result_def()
    traits = traits_def(Pure())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c "
        "`lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict "
        "`:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d")}


OPERATIONS = (
    DotOp,
    DotScaledOp,
)

__all__ = [
    "DotOp",
    "DotScaledOp",
    "OPERATIONS",
    "require_dot_shapes",
]
