"""The rule for tt.dot_scaled on gfx950: do it with an MFMA instruction that takes scales.

%d = tt.dot_scaled %a scale %s, %b scale %t, %c : #blocked
→  %0 = ttg.convert_layout %c : #mma
   %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth = 16>        %2 likewise of %b
   %3 = ttg.convert_layout %s : #linear                              %4 likewise of %t
   %5 = tt.dot_scaled %1 scale %3, %2 scale %4, %0
   %d = ttg.convert_layout %5 : #blocked

A missing scale is a constant of ones if the other operand has one. Operands of two elements per
byte that share it along M or N are brought to share it along K on their way through shared memory.
"""

from __future__ import annotations

from weft.ir import amdg, attributes, tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.enums import ScaleDotElemType
from weft.ir.hardware import warps_around
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, LinearEncoding
from weft.layouts.cga import cga_bases
from weft.layouts.inference import linear_encoding
from weft.layouts.operand_swizzling import swizzled_operand_encoding
from weft.layouts.scale_layouts import mfma_scale
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, Shape, blocked_result
from weft.passes.amd.accelerate_matmul.cast import converted
from weft.passes.amd.accelerate_matmul.chain import is_head, is_tail
from weft.passes.amd.accelerate_matmul.instruction import F8F6F4, Choice, Types, choose_mfma
from weft.passes.amd.accelerate_matmul.scales import tiles_for_scales
from weft.passes.amd.accelerate_matmul.warps import share_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["FORMATS", "depth_of", "forms_of", "ones", "rule"]

FORMATS = (ScaleDotElemType.E2M1, ScaleDotElemType.E4M3, ScaleDotElemType.E5M2)
_ONE = 0x7F  # as an exponent
_GROUP = 32  # elements along K that share a scale
_K_WIDTH = 16  # bytes, or elements of 8 bits, of a lane side by side


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, asked)

    return pattern


def forms_of(op: Operation) -> tuple[ScaleDotElemType, ScaleDotElemType]:
    """Return what the elements of a and b are."""
    a, b = (ScaleDotElemType.of(op.properties[key]) for key in ("a_elem_type", "b_elem_type"))
    return a, b


def depth_of(op: tt.DotScaledOp) -> int:
    """Return K of a block-scaled product, in elements."""
    depth = types.shape(op.a.type)[-1]
    two = forms_of(op)[0] is ScaleDotElemType.E2M1
    return depth * 2 if two and attributes.number(op.properties["lhs_k_pack"]) else depth


def _refusal(op: tt.DotScaledOp) -> str:
    """Say why no scaled instruction can do a product, "" where one may."""
    for form in forms_of(op):
        if form not in FORMATS:
            return f"scaled instructions take {', '.join(map(str, FORMATS))}, not {form}"
    if len(types.shape(op.d.type)) == 3:
        return "scaled instructions are for products of two dimensions"
    return "a block of one warp" if warps_around(op) == 1 else ""


def _rewrite(op: Operation, rewriter: Rewriter, asked: Asked) -> bool:
    assert isinstance(op, tt.DotScaledOp)
    blocked = blocked_result(op)
    if blocked is None:
        return False
    reason = _refusal(op)
    m, n = types.shape(op.d.type)[-2:]
    shape = Shape(m, n, depth_of(op))
    read = Types(F8F6F4, F8F6F4)
    choice = Choice(None, reason, ())
    if not reason:
        choice = choose_mfma(asked.units, read, shape, asked.side)
    row = choice.instruction
    if row is None or row.m != row.n:
        report.left_alone(asked, op, choice)
        return False
    shared = share_warps(
        (m, n), warps_around(op), (row.m, row.n), head=is_head(op), tail=is_tail(op)
    )
    tiles = tiles_for_scales((op.a_scale, op.b_scale), row.m, shared.warps)
    encoding = AmdMfmaEncoding(
        asked.units.version,
        shared.warps,
        (row.m, row.n, row.k),
        True,
        cga_bases(blocked),
        tiles,
        types.bit_width(op.d.type),
    )
    newc = converted(op.c, encoding, op, rewriter)
    a = _operand(op, 0, encoding, rewriter)
    b = _operand(op, 1, encoding, rewriter)
    scales = _scales(op, (a, b), row, encoding, rewriter)
    made = _product(op, (a, b, newc), scales, rewriter)
    output = converted(made, blocked, op, rewriter)
    reasons = report.Reasons(
        shared,
        "always: a lane holds neighbours of a row, to store them together",
        "bytes of a lane that a scaled instruction takes from one row",
        _why_tiles(tiles),
    )
    report.product(asked, op, choice, reasons, (a, b, *scales, newc, made, output))
    rewriter.replace(op, (output,))
    return True


def _why_tiles(tiles: tuple[int, int]) -> str:
    wide = "two by two tiles in a warp: their scales are neighbours in memory"
    return wide if tiles == (2, 2) else ""


def _operand(
    op: tt.DotScaledOp, index: int, encoding: AmdMfmaEncoding, rewriter: Rewriter
) -> SSAValue:
    """Return an operand in the instruction's layout, two elements per byte along K."""
    value = (op.a, op.b)[index]
    layout = DotOperandEncoding(index, encoding, _K_WIDTH)
    if attributes.number(op.properties[("lhs_k_pack", "rhs_k_pack")[index]]):
        return converted(value, layout, op, rewriter)
    shape, element = types.shape(value.type), types.element(value.type)
    source = types.encoding(value.type)
    order = (0, 1) if index == 0 else (1, 0)
    buffer = swizzled_operand_encoding(
        layout, shape, order, types.bit_width(element), source=source
    )
    memory = ttg.MemDescType.of(shape, element, buffer, ttg.SharedMemoryAttr())
    held = rewriter.create(ttg.LocalAllocOp, (value,), (memory,), before=op)
    turned = (shape[0] * 2, shape[1] // 2) if index == 0 else (shape[0] // 2, shape[1] * 2)
    type_ = types.tensor(turned, element, layout)
    loaded = rewriter.create(amdg.LocalLoadPackedTransposedOp, held.results, (type_,), before=op)
    return loaded.results[0]


def _scales(
    op: tt.DotScaledOp,
    operands: tuple[SSAValue, SSAValue],
    row: MatrixInstruction,
    encoding: AmdMfmaEncoding,
    rewriter: Rewriter,
) -> tuple[SSAValue, ...]:
    """Return both scales in the instruction's layout, () where the product has none."""
    if op.a_scale is None and op.b_scale is None:
        return ()
    found = []
    for index, scale in enumerate((op.a_scale, op.b_scale)):
        shape = (
            types.shape(scale.type)
            if scale is not None
            else _scale_shape(operands[index], index, forms_of(op)[index])
        )
        layout = linear_encoding(
            mfma_scale(shape, index, row.m, encoding.tiles_per_warp, encoding.warps_per_cta)
        )
        found.append(
            ones(op, shape, layout, rewriter)
            if scale is None
            else converted(scale, layout, op, rewriter)
        )
    return tuple(found)


def _scale_shape(value: SSAValue, index: int, form: ScaleDotElemType) -> tuple[int, int]:
    """Return the shape that the scales of an operand would have."""
    rows, depth = types.shape(value.type) if index == 0 else types.shape(value.type)[::-1]
    return rows, depth * (2 if form is ScaleDotElemType.E2M1 else 1) // _GROUP


def ones(
    op: Operation, shape: tuple[int, ...], layout: LinearEncoding, rewriter: Rewriter
) -> SSAValue:
    """Return scales of one."""
    type_ = types.tensor(shape, types.i8, layout)
    value = attributes.splat(attributes.integer(_ONE, types.i8), type_)
    return rewriter.constant(value, type_, op)


def _product(
    op: tt.DotScaledOp,
    operands: tuple[SSAValue, SSAValue, SSAValue],
    scales: tuple[SSAValue, ...],
    rewriter: Rewriter,
) -> SSAValue:
    given = len(scales) // 2
    properties = {
        **op.properties,
        "lhs_k_pack": attributes.boolean(True),
        "rhs_k_pack": attributes.boolean(True),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, given, given)),
    }
    made = rewriter.create(
        tt.DotScaledOp, (*operands, *scales), (operands[2].type,), properties, before=op
    )
    return made.results[0]
