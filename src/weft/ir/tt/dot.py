"""Matrix multiplication of tiles."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from xdsl.ir import Attribute
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
from weft.ir.attributes import number
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.ir.op_traits import TypesMatchWith
from weft.ir.operation import Infer, Op, operation, same
from weft.ir.type_constraints import FLOAT_TENSOR, FP_INT_TENSOR, SCALED_DOT_OPERAND
from weft.ir.type_inference import inference_failure
from weft.layouts import AmdWmmaEncoding, DotOperandEncoding, Encoding, NvidiaMmaEncoding

Shape = tuple[int, ...]
Vectors = tuple[tuple[int, ...], ...]

_WGMMA = 3  # the major version of layouts of wgmma
_MMA_ELEMENTS = frozenset(
    (
        *(types.f16, types.bf16, types.f32, types.f64, types.i8),
        *(types.f8E5M2, types.f8E4M3FN, types.f8E5M2FNUZ, types.f8E4M3FNUZ),
    )
)


_NO_FP4 = (False, False, False, False)


def require_dot_shapes(
    a: Shape, b: Shape, d: Shape, *, fp4: tuple[bool, bool, bool, bool] = _NO_FP4
) -> None:
    """Require shapes …×M×K, …×K×N and …×M×N, where … is an optional batch dimension.

    Args:
        a: The shape of the first operand.
        b: The shape of the second operand.
        d: The shape of the result.
        fp4: Whether M of a, K of a, K of b and N of b hold two fp4 elements per byte.

    Raises:
        VerifyException: They do not match.
    """
    if len(a) not in (2, 3):
        raise VerifyException("expected operands to be 2d or 3d")
    if not len(a) == len(b) == len(d):
        raise VerifyException("expected all operands to have the same rank")
    m, a_depth, b_depth, n = (
        size * (2 if packed else 1) for size, packed in zip((*a[-2:], *b[-2:]), fp4, strict=True)
    )
    if a_depth != b_depth:
        raise VerifyException(
            "expected the last dimension of the first operand to be equal to the second-to-last "
            "dimension of the second operand"
        )
    if len(a) == 3 and not a[0] == b[0] == d[0]:
        raise VerifyException(
            "expected the first dimension of the first operand to be equal to the first dimension "
            "of the result"
        )
    if d[-2:] != (m, n):
        raise VerifyException(
            "expected the output shape to be the concatenation of the last dimension of the first "
            "operand and the last dimension of the second "
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
    a = operand_def(FP_INT_TENSOR)
    b = operand_def(FP_INT_TENSOR)
    c = operand_def(FP_INT_TENSOR)
    inputPrecision = enum_prop(InputPrecision, InputPrecision.IEEE)
    maxNumImpreciseAcc = i32_prop(0)
    d = result_def(FP_INT_TENSOR)
    traits = traits_def(
        Pure(), TypesMatchWith("result's type matches accumulator's type", "d", "c")
    )
    FORMAT: ClassVar[str] = (
        "$a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? "
        "attr-dict `:` type($a) `*` type($b) `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d")}

    def verify_(self) -> None:
        a, b, d = (types.shape(t) for t in (self.a.type, self.b.type, self.d.type))
        layouts = tuple(types.encoding(t) for t in (self.a.type, self.b.type, self.d.type))
        if any(layout is not None and layout.family == "unresolved" for layout in layouts):
            return
        if layouts[0] is not None and layouts[1] is not None and layouts[2] is not None:
            require_dot_operand_layouts(layouts[0], layouts[1], layouts[2])
        require_dot_shapes(a, b, d)
        if types.bit_width(self.a.type) != types.bit_width(self.b.type):
            raise VerifyException("element types of operands A and B must have same bit width")
        if layouts[0] is None and layouts[1] is None:
            return
        if layouts[0] is None or layouts[1] is None:
            raise VerifyException("mismatching encoding between A and B operands")
        if layouts[2] is None:
            raise VerifyException("miss encoding of C operand")
        verify_dot_layouts(self, layouts[0], layouts[1], layouts[2])


@operation
class DotScaledOp(Op):
    """d = (a × scales of a) · (b × scales of b) + c, with one scale per block along K.

    The operands are fp4 (packed in i8), fp6, fp8, bf16 or fp16; an operand without scales has
    scale 1. `lhs_k_pack` and `rhs_k_pack` say that packed fp4 lies along K.

    `%d = tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e2m1
    {fastMath = false} : … * … -> tensor<64x64xf32>`
    """

    name = "tt.dot_scaled"
    a = operand_def(SCALED_DOT_OPERAND)
    b = operand_def(SCALED_DOT_OPERAND)
    c = operand_def(FLOAT_TENSOR)
    a_scale = opt_operand_def(SCALED_DOT_OPERAND)
    b_scale = opt_operand_def(SCALED_DOT_OPERAND)
    a_elem_type = enum_prop(ScaleDotElemType)
    b_elem_type = enum_prop(ScaleDotElemType)
    fastMath = bool_prop()
    lhs_k_pack = bool_prop(True)
    rhs_k_pack = bool_prop(True)
    d = result_def(FLOAT_TENSOR)
    traits = traits_def(
        Pure(), TypesMatchWith("result's type matches accumulator's type", "d", "c")
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c "
        "`lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict "
        "`:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)"
    )
    INFER: ClassVar[Infer] = {"c": same("d")}

    def verify_(self) -> None:
        a, b, d = (types.shape(t) for t in (self.a.type, self.b.type, self.d.type))
        fp4 = ScaleDotElemType.E2M1
        a_fp4, b_fp4 = (fp4 == ScaleDotElemType.of(t) for t in (self.a_elem_type, self.b_elem_type))
        a_along_k, b_along_k = bool(number(self.lhs_k_pack)), bool(number(self.rhs_k_pack))
        packed = (
            a_fp4 and not a_along_k,
            a_fp4 and a_along_k,
            b_fp4 and b_along_k,
            b_fp4 and not b_along_k,
        )
        require_dot_shapes(a, b, d, fp4=packed)
        for index, operand in enumerate((self.a, self.b)):
            layout = types.encoding(operand.type)
            if isinstance(layout, DotOperandEncoding) and layout.op_idx != index:
                raise VerifyException("Wrong opIdx")
        depth = a[-1] * (2 if packed[1] else 1)
        for scale, size, letter in ((self.a_scale, d[-2], "M"), (self.b_scale, d[-1], "N")):
            if scale is not None:
                _verify_scale(scale.type, len(a), size, letter, depth)


def _verify_scale(scale: Attribute, rank: int, size: int, letter: str, depth: int) -> None:
    """Require a scale per row of an operand and block along K.

    Args:
        scale: The type of the scales.
        rank: The rank of the operand.
        size: M or N.
        letter: "M" or "N".
        depth: K.
    """
    shape = types.shape(scale)
    if len(shape) < rank or shape[rank - 2] != size:
        raise VerifyException(
            f"scales {letter} dimension must match the operand {letter} dimension"
        )
    block = 16 if types.element(scale) == types.f8E4M3FN else 32
    if shape[rank - 1] != depth // block:
        raise VerifyException(
            "scales K dimension must match the operand K divided by the scale factor"
        )


def require_dot_operand_layouts(a: Encoding, b: Encoding, result: Encoding) -> None:
    """Require dot_op layouts of the operands whose parent is the layout of the result.

    Raises:
        VerifyException: An operand has another layout.
    """
    is_wgmma = isinstance(result, NvidiaMmaEncoding) and result.version_major == _WGMMA
    for index, layout in enumerate((a, b)):
        is_operand = isinstance(layout, DotOperandEncoding)
        if is_wgmma:
            if index or not (
                is_operand and layout.op_idx == 0 and isinstance(layout.parent, NvidiaMmaEncoding)
            ):
                raise inference_failure("unexpected operand layout for NvidiaMmaEncodingAttr v3")
        elif not is_operand:
            raise inference_failure("Dot's a/b's encoding should be of DotOperandEncodingAttr")
        elif layout.op_idx != index:
            raise inference_failure("Wrong opIdx")
        elif layout.parent is not result and not _differ_in_cga_only(layout.parent, result):
            raise inference_failure("Incompatible parent encoding")


def _differ_in_cga_only(one: Encoding, other: Encoding) -> bool:
    """Check for two WMMA layouts that differ in the CTAs of the cluster alone."""
    return (
        isinstance(one, AmdWmmaEncoding)
        and isinstance(other, AmdWmmaEncoding)
        and replace(one, cga_layout=other.cga_layout) is other
    )


def verify_dot_layouts(op: DotOp, a: Encoding, b: Encoding, result: Encoding) -> None:
    """Verify that the layouts of the operands agree with each other and the instruction.

    Raises:
        VerifyException: They do not.
    """
    if not isinstance(a, DotOperandEncoding) or not isinstance(b, DotOperandEncoding):
        if isinstance(a, DotOperandEncoding) or isinstance(b, DotOperandEncoding):
            raise VerifyException("mismatching encoding between A and B operands")
        return
    if a.k_width != b.k_width:
        raise VerifyException("mismatching kWidth between A and B operands")
    layouts = (a.parent, b.parent, result)
    if any(isinstance(layout, NvidiaMmaEncoding) for layout in layouts):
        versions = [
            layout.version_major for layout in layouts if isinstance(layout, NvidiaMmaEncoding)
        ]
        if len(versions) != len(layouts):
            raise VerifyException("mismatching MMA encoding")
        if any(version != versions[0] for version in versions):
            raise VerifyException("mismatched MMA version.")
        if not _supports_mma(op):
            raise VerifyException("unsupported MMA version")
    if (
        isinstance(a.parent, AmdWmmaEncoding)
        and isinstance(b.parent, AmdWmmaEncoding)
        and isinstance(result, AmdWmmaEncoding)
    ):
        _verify_cga_layouts(a.parent.cga_layout, b.parent.cga_layout, result.cga_layout)


def _supports_mma(op: DotOp) -> bool:
    """Check whether mma.sync multiplies the element types of a dot."""
    elements = [types.element(value.type) for value in (op.a, op.b)]
    if elements == [types.f32, types.f32]:
        return InputPrecision.of(op.inputPrecision) == InputPrecision.TF32
    return all(element in _MMA_ELEMENTS for element in elements)


def _verify_cga_layouts(a: Vectors, b: Vectors, result: Vectors) -> None:
    """Require that the CTAs of a cluster share rows of a and columns of b."""
    if any(not any(vector) for vector in result) or len(set(result)) != len(result):
        raise VerifyException("Accumulator CGA layout should not broadcast or have repeated rows")
    for index, (operand, dim) in enumerate(((a, 1), (b, 0))):
        shared = tuple(
            tuple(0 if d == dim else step for d, step in enumerate(vector)) for vector in result
        )
        if operand != shared:
            raise VerifyException(f"Incompatible CGA layout for operand {index}")


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
