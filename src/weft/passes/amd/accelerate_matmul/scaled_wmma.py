"""The rule for tt.dot_scaled on gfx1250: use a WMMA instruction that takes scales.

%d = tt.dot_scaled %a scale %s, %b scale %t, %c : #blocked
→  %0 = ttg.convert_layout %c : #wmma
   %1 = ttg.convert_layout %a : #dot_op<0, #wmma, kWidth = 16>       %2 likewise of %b
   %3 = ttg.convert_layout %s : #linear                              %4 likewise of %t
   %5 = tt.dot_scaled %1 scale %3, %2 scale %4, %0
   %d = ttg.convert_layout %5 : #blocked

The instruction always takes scales: a missing scale is a constant of ones. An fp4 operand has the
layout of an instruction with half of k.
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
from weft.passes.amd.accelerate_matmul.cast import convert_layout
from weft.passes.amd.accelerate_matmul.context import Context, DotShape, blocked_result
from weft.passes.amd.accelerate_matmul.instruction import F8F6F4, Choice, OperandTypes, choose_wmma
from weft.passes.amd.accelerate_matmul.scaled_mfma import FORMATS, element_formats, k_size
from weft.passes.amd.accelerate_matmul.wmma import distribute_tiles, wmma_encoding
from weft.passes.rewrite.decompose_scaled import scale_factor
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["rule"]

_ONE = 0x7F  # 1.0 as E8M0
_GROUP = 32  # elements along K that share a scale, if the dot has no scale
_K_WIDTH = 16


def rule(context: Context) -> Pattern:
    """Create the pattern."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, context)

    return pattern


def _choose(op: tt.DotScaledOp, context: Context) -> Choice:
    for form in element_formats(op):
        if form not in FORMATS:
            takes = ", ".join(map(str, FORMATS))
            return Choice(None, f"scaled instructions support {takes}, not {form}", ())
    if len(types.shape(op.d.type)) == 3:
        return Choice(None, "scaled instructions do not support batched dots", ())
    m, n = types.shape(op.d.type)
    return choose_wmma(
        context.units, OperandTypes(F8F6F4, F8F6F4, "f32"), DotShape(m, n, k_size(op))
    )


def _rewrite(op: Operation, rewriter: Rewriter, context: Context) -> bool:
    assert isinstance(op, tt.DotScaledOp)
    blocked = blocked_result(op)
    if blocked is None:
        return False
    choice = _choose(op, context)
    instruction = choice.instruction
    if instruction is None:
        report.record_unsupported(context, op, choice)
        return False
    _check_packing(op)
    distribution = distribute_tiles(op, instruction)
    encoding = wmma_encoding(
        context, blocked, distribution, (instruction.m, instruction.n, instruction.k)
    )
    halved = wmma_encoding(
        context, blocked, distribution, (instruction.m, instruction.n, instruction.k // 2)
    )
    accumulator = convert_layout(op.c, encoding, op, rewriter)
    operands: list[SSAValue] = []
    for index, (value, form) in enumerate(zip((op.a, op.b), element_formats(op), strict=True)):
        parent = halved if form is ScaleDotElemType.E2M1 else encoding
        layout = DotOperandEncoding(index, parent, _K_WIDTH)
        operands.append(convert_layout(value, layout, op, rewriter))
    scales = [_scale(op, index, encoding, rewriter) for index in (0, 1)]
    properties = {**op.properties, "operandSegmentSizes": attributes.array_i32((1, 1, 1, 1, 1))}
    new_dot = rewriter.create(
        tt.DotScaledOp,
        (*operands, accumulator, *scales),
        (accumulator.type,),
        properties,
        before=op,
    )
    output = convert_layout(new_dot.results[0], blocked, op, rewriter)
    reasons = report.Reasons(
        distribution,
        "always: a lane holds contiguous elements of a row, for wide stores",
        "bytes that a scaled instruction reads from a lane",
    )
    report.record_dot(
        context, op, choice, reasons, (*operands, *scales, accumulator, new_dot.results[0], output)
    )
    rewriter.replace(op, (output,))
    return True


def _check_packing(op: tt.DotScaledOp) -> None:
    """Check that fp4 operands are packed along K.

    Raises: PassError: an operand is packed along M or N.
    """
    for name, key in (("left", "lhs_k_pack"), ("right", "rhs_k_pack")):
        if not attributes.number(op.properties[key]):
            raise PassError(
                f"tt.dot_scaled: the {name} operand is packed along {'MN'[name == 'right']}; "
                "scaled WMMA instructions need packing along K",
                location=locations.position(op.location),
                found=f"{key} = false",
                accepted=[f"{key} = true"],
            )


def _scale(
    op: tt.DotScaledOp, index: int, encoding: AmdWmmaEncoding, rewriter: Rewriter
) -> SSAValue:
    """Convert an operand's scale, or a constant of ones, to the instruction's layout."""
    scale = (op.a_scale, op.b_scale)[index]
    shape = types.shape(scale.type) if scale is not None else _scale_shape(op, index)
    layout = linear_encoding(wmma_scale(shape, index, encoding.register, encoding.warp))
    if scale is not None:
        return convert_layout(scale, layout, op, rewriter)
    element, value = _one(op, (op.a_scale, op.b_scale)[1 - index])
    type_ = types.tensor(shape, element, layout)
    return rewriter.constant(attributes.splat(value, type_), type_, op)


def _one(op: tt.DotScaledOp, other: SSAValue | None) -> tuple[Attribute, IntegerAttr | FloatAttr]:
    """Return the element type and the value of a scale of one.

    Two fp4 operands have scales of one type, that of the other operand's scale.
    """
    both = all(form is ScaleDotElemType.E2M1 for form in element_formats(op))
    if other is not None and both and types.is_float(types.element(other.type)):
        element = types.element(other.type)
        return element, attributes.float_(1.0, element)
    return types.i8, attributes.integer(_ONE, types.i8)


def _scale_shape(op: tt.DotScaledOp, index: int) -> tuple[int, int]:
    """Compute the shape of an operand's scales."""
    value, form = ((op.a, op.b)[index], element_formats(op)[index])
    rows, depth = types.shape(value.type) if index == 0 else types.shape(value.type)[::-1]
    known = op.a_scale is not None or op.b_scale is not None
    group = scale_factor(op) if known else _GROUP
    return rows, depth * (2 if form is ScaleDotElemType.E2M1 else 1) // group
