"""The rule for tt.dot_scaled on gfx950: use an MFMA instruction that takes scales.

%d = tt.dot_scaled %a scale %s, %b scale %t, %c : #blocked
→  %0 = ttg.convert_layout %c : #mma
   %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth = 16>        %2 likewise of %b
   %3 = ttg.convert_layout %s : #linear                              %4 likewise of %t
   %5 = tt.dot_scaled %1 scale %3, %2 scale %4, %0
   %d = ttg.convert_layout %5 : #blocked

If only one operand has a scale, the other gets a constant scale of one. fp4 operands that are
packed along M or N are repacked along K through shared memory.
"""

from __future__ import annotations

from weft.ir import amdg, attributes, tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, LinearEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.inference import linear_encoding
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.layouts.scale_layouts import mfma_scale
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.cast import convert_layout
from weft.passes.amd.accelerate_matmul.chain import is_chain_head, is_chain_tail
from weft.passes.amd.accelerate_matmul.context import Context, DotShape, blocked_result
from weft.passes.amd.accelerate_matmul.instruction import F8F6F4, Choice, OperandTypes, choose_mfma
from weft.passes.amd.accelerate_matmul.scales import tiles_for_scales
from weft.passes.amd.accelerate_matmul.warps import distribute_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["FORMATS", "k_size", "element_formats", "unit_scales", "rule"]

FORMATS = (ScaleDotElemType.E2M1, ScaleDotElemType.E4M3, ScaleDotElemType.E5M2)
_ONE = 0x7F  # 1.0 as E8M0
_GROUP = 32  # elements along K that share a scale
_K_WIDTH = 16  # contiguous bytes per lane


def rule(context: Context) -> Pattern:
    """Create the pattern for one set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, context)

    return pattern


def element_formats(op: Operation) -> tuple[ScaleDotElemType, ScaleDotElemType]:
    """Return the element formats of a and b."""
    a, b = (ScaleDotElemType.of(op.properties[key]) for key in ("a_elem_type", "b_elem_type"))
    return a, b


def k_size(op: tt.DotScaledOp) -> int:
    """Return K of a tt.dot_scaled, in elements."""
    depth = types.shape(op.a.type)[-1]
    two = element_formats(op)[0] is ScaleDotElemType.E2M1
    return depth * 2 if two and attributes.number(op.properties["lhs_k_pack"]) else depth


def _unsupported_reason(op: tt.DotScaledOp) -> str:
    """Return why scaled instructions do not support a dot; "" if they may."""
    for form in element_formats(op):
        if form not in FORMATS:
            return f"scaled instructions support {', '.join(map(str, FORMATS))}, not {form}"
    if len(types.shape(op.d.type)) == 3:
        return "scaled instructions do not support batched dots"
    return "scaled instructions need more than one warp" if lookup_num_warps(op) == 1 else ""


def _rewrite(op: Operation, rewriter: Rewriter, context: Context) -> bool:
    assert isinstance(op, tt.DotScaledOp)
    blocked = blocked_result(op)
    if blocked is None:
        return False
    reason = _unsupported_reason(op)
    m, n = types.shape(op.d.type)[-2:]
    shape = DotShape(m, n, k_size(op))
    operand_types = OperandTypes(F8F6F4, F8F6F4)
    choice = Choice(None, reason, ())
    if not reason:
        choice = choose_mfma(context.units, operand_types, shape, context.instruction_size)
    instruction = choice.instruction
    if instruction is None or instruction.m != instruction.n:
        report.record_unsupported(context, op, choice)
        return False
    distribution = distribute_warps(
        (m, n),
        lookup_num_warps(op),
        (instruction.m, instruction.n),
        head=is_chain_head(op),
        tail=is_chain_tail(op),
    )
    tiles = tiles_for_scales((op.a_scale, op.b_scale), instruction.m, distribution.warps)
    encoding = AmdMfmaEncoding(
        context.units.version,
        distribution.warps,
        (instruction.m, instruction.n, instruction.k),
        True,
        cga_bases(blocked),
        tiles,
        types.bit_width(op.d.type),
    )
    accumulator = convert_layout(op.c, encoding, op, rewriter)
    a = _operand(op, 0, encoding, rewriter)
    b = _operand(op, 1, encoding, rewriter)
    scales = _scales(op, (a, b), instruction, encoding, rewriter)
    new_dot = _create_dot(op, (a, b, accumulator), scales, rewriter)
    output = convert_layout(new_dot, blocked, op, rewriter)
    reasons = report.Reasons(
        distribution,
        "always: a lane holds contiguous elements of a row, for wide stores",
        "bytes that a scaled instruction reads from a lane",
        _why_tiles(tiles),
    )
    report.record_dot(context, op, choice, reasons, (a, b, *scales, accumulator, new_dot, output))
    rewriter.replace(op, (output,))
    return True


def _why_tiles(tiles: tuple[int, int]) -> str:
    wide = "2 x 2 tiles per warp: their scales are contiguous in memory"
    return wide if tiles == (2, 2) else ""


def _operand(
    op: tt.DotScaledOp, index: int, encoding: AmdMfmaEncoding, rewriter: Rewriter
) -> SSAValue:
    """Convert an operand to the instruction's layout, fp4 packed along K."""
    value = (op.a, op.b)[index]
    layout = DotOperandEncoding(index, encoding, _K_WIDTH)
    if attributes.number(op.properties[("lhs_k_pack", "rhs_k_pack")[index]]):
        return convert_layout(value, layout, op, rewriter)
    shape, element = types.shape(value.type), types.element(value.type)
    source = types.encoding(value.type)
    order = (0, 1) if index == 0 else (1, 0)
    buffer = swizzled_operand_encoding(
        layout, shape, order, types.bit_width(element), source=source
    )
    memory = ttg.MemDescType.of(shape, element, buffer, ttg.SharedMemoryAttr())
    buffer = rewriter.create(ttg.LocalAllocOp, (value,), (memory,), before=op)
    transposed = (shape[0] * 2, shape[1] // 2) if index == 0 else (shape[0] // 2, shape[1] * 2)
    type_ = types.tensor(transposed, element, layout)
    loaded = rewriter.create(amdg.LocalLoadPackedTransposedOp, buffer.results, (type_,), before=op)
    return loaded.results[0]


def _scales(
    op: tt.DotScaledOp,
    operands: tuple[SSAValue, SSAValue],
    instruction: MatrixInstruction,
    encoding: AmdMfmaEncoding,
    rewriter: Rewriter,
) -> tuple[SSAValue, ...]:
    """Convert both scales to the instruction's layout; () if the dot has none."""
    if op.a_scale is None and op.b_scale is None:
        return ()
    converted_scales: list[SSAValue] = []
    for index, scale in enumerate((op.a_scale, op.b_scale)):
        shape = (
            types.shape(scale.type)
            if scale is not None
            else _scale_shape(operands[index], index, element_formats(op)[index])
        )
        layout = linear_encoding(
            mfma_scale(shape, index, instruction.m, encoding.tiles_per_warp, encoding.warps_per_cta)
        )
        converted_scales.append(
            unit_scales(op, shape, layout, rewriter)
            if scale is None
            else convert_layout(scale, layout, op, rewriter)
        )
    return tuple(converted_scales)


def _scale_shape(value: SSAValue, index: int, form: ScaleDotElemType) -> tuple[int, int]:
    """Compute the shape of an operand's scales."""
    rows, depth = types.shape(value.type) if index == 0 else types.shape(value.type)[::-1]
    return rows, depth * (2 if form is ScaleDotElemType.E2M1 else 1) // _GROUP


def unit_scales(
    op: Operation, shape: tuple[int, ...], layout: LinearEncoding, rewriter: Rewriter
) -> SSAValue:
    """Create a constant scale of one."""
    type_ = types.tensor(shape, types.i8, layout)
    value = attributes.splat(attributes.integer(_ONE, types.i8), type_)
    return rewriter.constant(value, type_, op)


def _create_dot(
    op: tt.DotScaledOp,
    operands: tuple[SSAValue, SSAValue, SSAValue],
    scales: tuple[SSAValue, ...],
    rewriter: Rewriter,
) -> SSAValue:
    num_scales = len(scales) // 2
    properties = {
        **op.properties,
        "lhs_k_pack": attributes.boolean(True),
        "rhs_k_pack": attributes.boolean(True),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, num_scales, num_scales)),
    }
    new_dot = rewriter.create(
        tt.DotScaledOp, (*operands, *scales), (operands[2].type,), properties, before=op
    )
    return new_dot.results[0]
