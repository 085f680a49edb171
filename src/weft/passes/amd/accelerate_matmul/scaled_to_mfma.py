"""The rule for tt.dot_scaled on CDNA 1 to 3: scale and convert the operand to 16 bits, then MFMA.

%d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 : #blocked
→  %0 = ttg.convert_layout %c : #mma
   %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth = 4>         bytes of two fp4
   %2 = ttg.convert_layout %b : #dot_op<1, #mma, kWidth = 8>
   %3 = ttg.convert_layout %s : #blocked1
   %4 = amdg.upcast_mxfp %1, %3 fp_type = e2m1 : #dot_op<0, #mma, kWidth = 8>
   %5 = tt.dot %4, %2, %0
   %d = ttg.convert_layout %5 : #blocked

All warps are along the scaled dimension, and a lane's scales are in its own warp, so no data moves
between warps. Only one operand may have a scale.
"""

from __future__ import annotations

from weft.ir import amdg, attributes, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import AmdMfmaEncoding, BlockedEncoding, DotOperandEncoding
from weft.layouts.cga import cga_bases
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.cast import convert_layout
from weft.passes.amd.accelerate_matmul.context import Context, blocked_result, dot_shape
from weft.passes.amd.accelerate_matmul.instruction import Choice, OperandTypes, choose_mfma
from weft.passes.amd.accelerate_matmul.scaled_mfma import element_formats
from weft.passes.amd.accelerate_matmul.warps import WarpDistribution
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import FAMILIES, MatrixInstruction

__all__ = ["rule"]

_SIXTEEN = (ScaleDotElemType.BF16, ScaleDotElemType.FP16)
_FORMATS = (
    ScaleDotElemType.E2M1,
    ScaleDotElemType.E4M3,
    ScaleDotElemType.E5M2,
    *_SIXTEEN,
)
_FP4_K_WIDTH, _OTHER_K_WIDTH = 4, 8  # of an fp4 operand in bytes, and of the other operand


def rule(context: Context) -> Pattern:
    """Create the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, context)

    return pattern


def _unsupported_reason(op: tt.DotScaledOp) -> str:
    """Return why this rule does not support a dot; "" if it does."""
    packed = (op.properties["lhs_k_pack"], op.properties["rhs_k_pack"])
    if not all(attributes.number(packing) for packing in packed):
        return "fp4 is packed along M or N; packing along K is required"
    if len(types.shape(op.d.type)) == 3:
        return "batched dots are not supported"
    if op.a_scale is not None and op.b_scale is not None:
        return "both operands have scales; only one may"
    for form, scale in zip(element_formats(op), (op.a_scale, op.b_scale), strict=True):
        if form not in _FORMATS:
            return f"{form} cannot be converted to 16 bits in registers"
        if form is ScaleDotElemType.E2M1 and scale is None:
            return f"{form} without a scale is not supported"
    return ""


def _choose(op: tt.DotScaledOp, context: Context) -> Choice:
    reason = _unsupported_reason(op)
    if reason:
        return Choice(None, reason, ())
    name = str(_compute(op))
    choice = choose_mfma(
        context.units, OperandTypes(name, name), dot_shape(op.d, op.a), context.instruction_size
    )
    instruction = choice.instruction
    if instruction is not None and instruction.m != instruction.n:
        reason = f"{instruction.label} is not square; scales need a square tile"
        return Choice(None, reason, choice.candidates)
    return choice


def _compute(op: tt.DotScaledOp) -> Attribute:
    return types.f16 if ScaleDotElemType.FP16 in element_formats(op) else types.bf16


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
    warps = lookup_num_warps(op)
    distribution = WarpDistribution(
        (warps, 1) if op.a_scale is not None else (1, warps),
        "all along the scaled dimension, so that scales stay in their warp",
    )
    encoding = AmdMfmaEncoding(
        context.units.version,
        distribution.warps,
        (instruction.m, instruction.n, instruction.k),
        True,
        cga_bases(blocked),
        (),
        types.bit_width(op.d.type),
    )
    accumulator = convert_layout(op.c, encoding, op, rewriter)
    widths, reason = _k_widths(op, instruction, context)
    operands = [_operand(op, index, encoding, widths[index], rewriter) for index in (0, 1)]
    scale_layout = BlockedEncoding(
        (1, 1),
        (instruction.m, FAMILIES["mfma"] // instruction.m),
        (warps, 1),
        (1, 0),
        cga_bases(blocked),
    )
    operands_16_bit = [
        _scaled(op, index, value, scale_layout, rewriter) for index, value in enumerate(operands)
    ]
    new_dot = rewriter.create(
        tt.DotOp, (*operands_16_bit, accumulator), (accumulator.type,), before=op
    )
    output = convert_layout(new_dot.results[0], blocked, op, rewriter)
    reasons = report.Reasons(
        distribution,
        "always: a lane holds contiguous elements of a row, for wide stores",
        reason,
        f"converted to {_compute(op)}: {context.units.arch} has no instruction that takes scales",
    )
    report.record_dot(
        context, op, choice, reasons, (*operands_16_bit, accumulator, new_dot.results[0], output)
    )
    rewriter.replace(op, (output,))
    return True


def _k_widths(
    op: tt.DotScaledOp, instruction: MatrixInstruction, context: Context
) -> tuple[tuple[int, int], str]:
    """Choose kWidth of a and b before the conversion to 16 bits.

    Returns: (kWidth of a, kWidth of b), and the reason.
    """
    a, b = (form is ScaleDotElemType.E2M1 for form in element_formats(op))
    if a or b:
        widths = (_FP4_K_WIDTH, _OTHER_K_WIDTH) if a else (_OTHER_K_WIDTH, _FP4_K_WIDTH)
        return widths, "8 elements, which are 4 bytes before the conversion"
    width = instruction.elements * context.k_pack
    return (width, width), f"of k_pack = {context.k_pack} instructions"


def _operand(
    op: tt.DotScaledOp, index: int, encoding: AmdMfmaEncoding, width: int, rewriter: Rewriter
) -> SSAValue:
    """Convert an operand to the instruction's layout, and 8-bit floats to 16 bits."""
    value, form = (op.a, op.b)[index], element_formats(op)[index]
    converted_operand = convert_layout(
        value, DotOperandEncoding(index, encoding, width), op, rewriter
    )
    if form in _SIXTEEN or form is ScaleDotElemType.E2M1:
        return converted_operand
    type_ = types.with_element(converted_operand.type, _compute(op))
    return rewriter.create(tt.FpToFpOp, (converted_operand,), (type_,), before=op).results[0]


def _scaled(
    op: tt.DotScaledOp, index: int, value: SSAValue, layout: BlockedEncoding, rewriter: Rewriter
) -> SSAValue:
    """Multiply an operand by its scale, if it has one."""
    scale, form = (op.a_scale, op.b_scale)[index], element_formats(op)[index]
    if scale is None:
        return value
    converted_scale = convert_layout(scale, layout, op, rewriter)
    encoding, shape = types.encoding(value.type), list(types.shape(value.type))
    assert isinstance(encoding, DotOperandEncoding)
    if form is ScaleDotElemType.E2M1:
        shape[1 - index] *= 2
        encoding = DotOperandEncoding(index, encoding.parent, encoding.k_width * 2)
    type_ = types.tensor(tuple(shape), _compute(op), encoding)
    properties = {"fp_type": form.attr(), "fastMath": op.properties["fastMath"]}
    new_dot = rewriter.create(
        amdg.UpcastMXFPOp, (value, converted_scale), (type_,), properties, before=op
    )
    return new_dot.results[0]
