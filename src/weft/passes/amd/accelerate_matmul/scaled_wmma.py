"""The rule for tt.dot_scaled on gfx1250: do it with a WMMA instruction that takes scales.

%d = tt.dot_scaled %a scale %s, %b scale %t, %c : #blocked
→  %0 = ttg.convert_layout %c : #wmma
   %1 = ttg.convert_layout %a : #dot_op<0, #wmma, kWidth = 16>       %2 likewise of %b
   %3 = ttg.convert_layout %s : #linear                              %4 likewise of %t
   %5 = tt.dot_scaled %1 scale %3, %2 scale %4, %0
   %d = ttg.convert_layout %5 : #blocked

The instruction always takes scales: a missing one is a constant of ones. An operand of two elements
per byte is laid out as that of an instruction of half the depth.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr

from weft.errors import PassError
from weft.ir import attributes, locations, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.layouts import AmdWmmaEncoding, DotOperandEncoding
from weft.layouts.inference import linear_encoding
from weft.layouts.scale_layouts import wmma_scale
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, Shape, blocked_result
from weft.passes.amd.accelerate_matmul.cast import converted
from weft.passes.amd.accelerate_matmul.instruction import F8F6F4, Choice, Types, choose_wmma
from weft.passes.amd.accelerate_matmul.scaled_mfma import FORMATS, depth_of, forms_of
from weft.passes.amd.accelerate_matmul.wmma import share_tiles, wmma_encoding
from weft.passes.rewrite.decompose_scaled import scale_factor
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["rule"]

_ONE_AS_EXPONENT = 0x7F
_GROUP = 32  # elements along K that share a scale, where no scale says otherwise
_K_WIDTH = 16


def rule(asked: Asked) -> Pattern:
    """Return the pattern."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, asked)

    return pattern


def _choose(op: tt.DotScaledOp, asked: Asked) -> Choice:
    for form in forms_of(op):
        if form not in FORMATS:
            takes = ", ".join(map(str, FORMATS))
            return Choice(None, f"scaled instructions take {takes}, not {form}", ())
    if len(types.shape(op.d.type)) == 3:
        return Choice(None, "scaled instructions are for products of two dimensions", ())
    m, n = types.shape(op.d.type)
    return choose_wmma(asked.units, Types(F8F6F4, F8F6F4, "f32"), Shape(m, n, depth_of(op)))


def _rewrite(op: Operation, rewriter: Rewriter, asked: Asked) -> bool:
    assert isinstance(op, tt.DotScaledOp)
    blocked = blocked_result(op)
    if blocked is None:
        return False
    choice = _choose(op, asked)
    row = choice.instruction
    if row is None:
        report.left_alone(asked, op, choice)
        return False
    _check_packing(op)
    shared = share_tiles(op, row)
    encoding = wmma_encoding(asked, blocked, shared, (row.m, row.n, row.k))
    halved = wmma_encoding(asked, blocked, shared, (row.m, row.n, row.k // 2))
    newc = converted(op.c, encoding, op, rewriter)
    operands = []
    for index, (value, form) in enumerate(zip((op.a, op.b), forms_of(op), strict=True)):
        parent = halved if form is ScaleDotElemType.E2M1 else encoding
        layout = DotOperandEncoding(index, parent, _K_WIDTH)
        operands.append(converted(value, layout, op, rewriter))
    scales = [_scale(op, index, encoding, rewriter) for index in (0, 1)]
    properties = {**op.properties, "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1))}
    made = rewriter.create(
        tt.DotScaledOp, (*operands, newc, *scales), (newc.type,), properties, before=op
    )
    output = converted(made.results[0], blocked, op, rewriter)
    reasons = report.Reasons(
        shared,
        "always: a lane holds neighbours of a row, to store them together",
        "bytes of a lane that a scaled instruction takes from one row",
    )
    report.product(asked, op, choice, reasons, (*operands, *scales, newc, made.results[0], output))
    rewriter.replace(op, (output,))
    return True


def _check_packing(op: tt.DotScaledOp) -> None:
    """Raise PassError where two elements share a byte along M or N."""
    for name, key in (("left", "lhs_k_pack"), ("right", "rhs_k_pack")):
        if not attributes.number(op.properties[key]):
            raise PassError(
                f"tt.dot_scaled: the {name} operand shares bytes along {'MN'[name == 'right']}; "
                "scaled WMMA instructions take pairs along K",
                location=locations.position(op.location),
                found=f"{key} = false",
                accepted=[f"{key} = true"],
            )


def _scale(
    op: tt.DotScaledOp, index: int, encoding: AmdWmmaEncoding, rewriter: Rewriter
) -> SSAValue:
    """Return the scale of an operand in the instruction's layout."""
    scale = (op.a_scale, op.b_scale)[index]
    shape = types.shape(scale.type) if scale is not None else _scale_shape(op, index)
    layout = linear_encoding(wmma_scale(shape, index, encoding.register, encoding.warp))
    if scale is not None:
        return converted(scale, layout, op, rewriter)
    element, value = _one(op, (op.a_scale, op.b_scale)[1 - index])
    type_ = types.tensor(shape, element, layout)
    return rewriter.constant(attributes.splat(value, type_), type_, op)


def _one(op: tt.DotScaledOp, other: SSAValue | None) -> tuple[Attribute, IntegerAttr | FloatAttr]:
    """Return the type of scales of one, and one; two fp4 operands have scales of one type."""
    both = all(form is ScaleDotElemType.E2M1 for form in forms_of(op))
    if other is not None and both and types.is_float(types.element(other.type)):
        element = types.element(other.type)
        return element, attributes.float_(1.0, element)
    return types.i8, attributes.integer(_ONE_AS_EXPONENT, types.i8)


def _scale_shape(op: tt.DotScaledOp, index: int) -> tuple[int, int]:
    """Return the shape that the scales of an operand would have."""
    value, form = ((op.a, op.b)[index], forms_of(op)[index])
    rows, depth = types.shape(value.type) if index == 0 else types.shape(value.type)[::-1]
    known = op.a_scale is not None or op.b_scale is not None
    group = scale_factor(op) if known else _GROUP
    return rows, depth * (2 if form is ScaleDotElemType.E2M1 else 1) // group
