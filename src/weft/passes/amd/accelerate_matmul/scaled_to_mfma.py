"""The rule for tt.dot_scaled on CDNA 1 to 3: convert the scaled operand, and multiply in 16 bits.

%d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 : #blocked
→  %0 = ttg.convert_layout %c : #mma
   %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth = 4>         bytes, of two elements
   %2 = ttg.convert_layout %b : #dot_op<1, #mma, kWidth = 8>
   %3 = ttg.convert_layout %s : #blocked1
   %4 = amdg.upcast_mxfp %1, %3 fp_type = e2m1 : #dot_op<0, #mma, kWidth = 8>
   %5 = tt.dot %4, %2, %0
   %d = ttg.convert_layout %5 : #blocked

All warps stand along the side that is scaled, and a lane's scales in its own warp: then nothing is
exchanged between warps. One operand alone may be scaled.
"""

from __future__ import annotations

from weft.ir import amdg, attributes, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.hardware import warps_around
from weft.layouts import AmdMfmaEncoding, BlockedEncoding, DotOperandEncoding
from weft.layouts.cga import cga_bases
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, blocked_result, shape_of
from weft.passes.amd.accelerate_matmul.cast import converted
from weft.passes.amd.accelerate_matmul.instruction import Choice, Types, choose_mfma
from weft.passes.amd.accelerate_matmul.scaled_mfma import forms_of
from weft.passes.amd.accelerate_matmul.warps import Shared
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
_BYTES, _BESIDE_BYTES = 4, 8  # kWidth of an operand of two elements per byte, and of the other one


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, asked)

    return pattern


def _refusal(op: tt.DotScaledOp) -> str:
    """Say why a product cannot be done this way, "" where it may."""
    packed = (op.properties["lhs_k_pack"], op.properties["rhs_k_pack"])
    if not all(attributes.number(one) for one in packed):
        return "two elements share a byte along M or N; along K is needed"
    if len(types.shape(op.d.type)) == 3:
        return "products of two dimensions are needed"
    if op.a_scale is not None and op.b_scale is not None:
        return "both operands have scales; one may"
    for form, scale in zip(forms_of(op), (op.a_scale, op.b_scale), strict=True):
        if form not in _FORMATS:
            return f"{form} cannot be converted to 16 bits in registers"
        if form is ScaleDotElemType.E2M1 and scale is None:
            return f"{form} is converted with a scale only"
    return ""


def _choose(op: tt.DotScaledOp, asked: Asked) -> Choice:
    reason = _refusal(op)
    if reason:
        return Choice(None, reason, ())
    name = str(_compute(op))
    choice = choose_mfma(asked.units, Types(name, name), shape_of(op.d, op.a), asked.side)
    row = choice.instruction
    if row is not None and row.m != row.n:
        why = f"{row.label} has strips of {row.m}x{row.n}; scales need a square tile"
        return Choice(None, why, choice.weighed)
    return choice


def _compute(op: tt.DotScaledOp) -> Attribute:
    return types.f16 if ScaleDotElemType.FP16 in forms_of(op) else types.bf16


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
    warps = warps_around(op)
    shared = Shared(
        (warps, 1) if op.a_scale is not None else (1, warps),
        "all along the scaled side, so that scales stay in their warp",
    )
    encoding = AmdMfmaEncoding(
        asked.units.version,
        shared.warps,
        (row.m, row.n, row.k),
        True,
        cga_bases(blocked),
        (),
        types.bit_width(op.d.type),
    )
    newc = converted(op.c, encoding, op, rewriter)
    widths, why = _k_widths(op, row, asked)
    operands = [_operand(op, index, encoding, widths[index], rewriter) for index in (0, 1)]
    scale_layout = BlockedEncoding(
        (1, 1), (row.m, FAMILIES["mfma"] // row.m), (warps, 1), (1, 0), cga_bases(blocked)
    )
    made_of = [
        _scaled(op, index, value, scale_layout, rewriter) for index, value in enumerate(operands)
    ]
    made = rewriter.create(tt.DotOp, (*made_of, newc), (newc.type,), before=op)
    output = converted(made.results[0], blocked, op, rewriter)
    reasons = report.Reasons(
        shared,
        "always: a lane holds neighbours of a row, to store them together",
        why,
        f"converted to {_compute(op)}: {asked.units.arch} has no instruction that takes scales",
    )
    report.product(asked, op, choice, reasons, (*made_of, newc, made.results[0], output))
    rewriter.replace(op, (output,))
    return True


def _k_widths(
    op: tt.DotScaledOp, row: MatrixInstruction, asked: Asked
) -> tuple[tuple[int, int], str]:
    """Return the elements side by side along K of a and b before conversion, and the reason."""
    a, b = (form is ScaleDotElemType.E2M1 for form in forms_of(op))
    if a or b:
        widths = (_BYTES, _BESIDE_BYTES) if a else (_BESIDE_BYTES, _BYTES)
        return widths, "8 elements, in 4 bytes before they are converted"
    width = row.elements * asked.k_pack
    return (width, width), f"the elements of k_pack = {asked.k_pack} instructions in a lane"


def _operand(
    op: tt.DotScaledOp, index: int, encoding: AmdMfmaEncoding, width: int, rewriter: Rewriter
) -> SSAValue:
    """Return an operand in the instruction's layout, 8-bit floats as 16-bit ones."""
    value, form = (op.a, op.b)[index], forms_of(op)[index]
    moved = converted(value, DotOperandEncoding(index, encoding, width), op, rewriter)
    if form in _SIXTEEN or form is ScaleDotElemType.E2M1:
        return moved
    type_ = types.with_element(moved.type, _compute(op))
    return rewriter.create(tt.FpToFpOp, (moved,), (type_,), before=op).results[0]


def _scaled(
    op: tt.DotScaledOp, index: int, value: SSAValue, layout: BlockedEncoding, rewriter: Rewriter
) -> SSAValue:
    """Return an operand times its scale, if it has one."""
    scale, form = (op.a_scale, op.b_scale)[index], forms_of(op)[index]
    if scale is None:
        return value
    held = converted(scale, layout, op, rewriter)
    encoding, shape = types.encoding(value.type), list(types.shape(value.type))
    assert isinstance(encoding, DotOperandEncoding)
    if form is ScaleDotElemType.E2M1:
        shape[1 - index] *= 2
        encoding = DotOperandEncoding(index, encoding.parent, encoding.k_width * 2)
    type_ = types.tensor(tuple(shape), _compute(op), encoding)
    properties = {"fp_type": form.attr(), "fastMath": op.properties["fastMath"]}
    made = rewriter.create(amdg.UpcastMXFPOp, (value, held), (type_,), properties, before=op)
    return made.results[0]
