"""The rule for tt.dot on CDNA: use an MFMA instruction.

%d = tt.dot %a, %b, %c : #blocked       →   %0 = ttg.convert_layout %c : #mma
                                            %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth>
                                            %2 = ttg.convert_layout %b : #dot_op<1, #mma, kWidth>
                                            %3 = tt.dot %1, %2, %0
                                            %d = ttg.convert_layout %3 : #blocked

The result is transposed, so that a lane holds contiguous elements of a row and stores them in one
vector. A 4x64 tile is not: its left operand is broadcast. kWidth is the number of elements along K
that one instruction reads from a lane, times k_pack.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding
from weft.layouts.cga import cga_bases
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.cast import convert_layout_and_cast
from weft.passes.amd.accelerate_matmul.chain import is_chain_head, is_chain_tail
from weft.passes.amd.accelerate_matmul.context import Context, blocked_result, dot_shape
from weft.passes.amd.accelerate_matmul.instruction import (
    F8F6F4,
    OPEN_FLOATS,
    Choice,
    OperandTypes,
    choose_mfma,
    mfma_types,
)
from weft.passes.amd.accelerate_matmul.report import Reasons
from weft.passes.amd.accelerate_matmul.scales import marked_scale, tiles_for_scales
from weft.passes.amd.accelerate_matmul.warps import WarpDistribution, distribute_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["ELEMENTS", "SCALED_FORMATS", "Layout", "rule"]

ELEMENTS = {
    str(element): element
    for element in (
        types.i8,
        types.i32,
        types.f16,
        types.bf16,
        types.f32,
        types.f64,
        types.f8E4M3FN,
        types.f8E5M2,
        types.f8E4M3FNUZ,
        types.f8E5M2FNUZ,
    )
} | {"xf32": types.f32}
SCALED_FORMATS = {"f8E4M3FN": ScaleDotElemType.E4M3, "f8E5M2": ScaleDotElemType.E5M2}
_SIXTEEN = ("f16", "bf16")
_CHAINED_WIDTH = 4  # contiguous elements of a 16-bit MFMA result that a lane holds


class Layout(Struct, frozen=True):
    """The layout of a dot.

    Attributes:
        encoding: the layout of the result.
        k_width: contiguous elements along K per lane in the operands' layouts.
        reasons: for the decision record.
    """

    encoding: AmdMfmaEncoding
    k_width: int
    reasons: Reasons


def rule(context: Context) -> Pattern:
    """Create the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, context)

    return pattern


def _rewrite(op: Operation, rewriter: Rewriter, context: Context) -> bool:
    blocked = blocked_result(op)
    if blocked is None:
        return False
    a, b, c = op.operands
    operand_types, choice = _choose(op, context)
    instruction = choice.instruction
    if instruction is None:
        report.record_unsupported(context, op, choice)
        return False
    result = op.results[0].type
    layout = _layout(op, instruction, operand_types, context)
    accumulator = _accumulator_type(types.element(result))
    accumulator = convert_layout_and_cast(c, layout.encoding, accumulator, op, rewriter)
    width = layout.k_width // 2 if instruction.scaled else layout.k_width
    operands: list[SSAValue] = []
    for index, (value, name) in enumerate(((a, operand_types.a), (b, operand_types.b))):
        element = types.element(value.type) if instruction.scaled else ELEMENTS[name]
        encoding = DotOperandEncoding(index, layout.encoding, width)
        operands.append(convert_layout_and_cast(value, encoding, element, op, rewriter))
    new_dot = _create_dot(op, operands, accumulator, instruction, rewriter)
    output = convert_layout_and_cast(new_dot, blocked, types.element(result), op, rewriter)
    report.record_dot(
        context, op, choice, layout.reasons, (*operands, accumulator, new_dot, output)
    )
    rewriter.replace(op, (output,))
    return True


def _choose(op: Operation, context: Context) -> tuple[OperandTypes, Choice]:
    """Choose operand types and an instruction; a scaled one for two 8-bit floats, if it fits."""
    a, b = (str(types.element(value.type)) for value in op.operands[:2])
    shape = dot_shape(op.results[0], op.operands[0])
    # A scaled instruction without scales comes first. Where none fits, the candidates of both
    # choices are recorded.
    small = a in OPEN_FLOATS and b in OPEN_FLOATS
    first: Choice | None = None
    if small and context.units.takes(F8F6F4):
        operand_types = OperandTypes(
            F8F6F4, F8F6F4, reason="a scaled MFMA has twice the throughput for 8-bit floats"
        )
        first = choose_mfma(context.units, operand_types, shape, context.instruction_size)
        if first.instruction is not None:
            return operand_types, first
    precision = InputPrecision.of(op.properties["inputPrecision"])
    operand_types = mfma_types(context.units, a, b, low_precision=precision is InputPrecision.TF32)
    choice = choose_mfma(context.units, operand_types, shape, context.instruction_size)
    if first is not None:
        choice = replace(choice, candidates=(*choice.candidates, *first.candidates))
    return operand_types, choice


def _accumulator_type(element: Attribute) -> Attribute:
    """Return the accumulator type of an instruction for a result type."""
    if types.is_integer(element):
        return types.i32
    return types.f64 if element == types.f64 else types.f32


def _layout(
    op: Operation, instruction: MatrixInstruction, operand_types: OperandTypes, context: Context
) -> Layout:
    result = op.results[0].type
    blocked = types.encoding(result)
    assert blocked is not None
    shape = types.shape(result)
    tail = is_chain_tail(op)
    distribution = distribute_warps(
        shape,
        lookup_num_warps(op),
        (instruction.m, instruction.n),
        head=is_chain_head(op),
        tail=tail,
    )
    transposed = (instruction.m, instruction.n) != (4, 64)
    reason = "a lane holds contiguous elements of a row, for wide stores"
    if not transposed:
        reason = "a 4x64 tile broadcasts its left operand"
    # Of a decomposed tt.dot_scaled, the loads of the scales decide first.
    tiles = (1, 1)
    if instruction.m == instruction.n:
        scales = marked_scale(op.operands[0]), marked_scale(op.operands[1])
        tiles = tiles_for_scales(scales, instruction.m, distribution.warps)
    if tiles == (1, 1) and _holds_chains(instruction, operand_types, context) and len(shape) == 2:
        transposed, tiles, reason = _chained_tiles(op, shape, distribution, transposed, reason)
    encoding = AmdMfmaEncoding(
        context.units.version,
        distribution.warps,
        (instruction.m, instruction.n, instruction.k),
        transposed,
        cga_bases(blocked),
        (1, *tiles) if len(shape) == 3 else tiles,
        types.bit_width(_accumulator_type(types.element(result))),
    )
    width, width_reason = _k_width(instruction, operand_types, context, tail=tail)
    reasons = Reasons(distribution, reason, width_reason, operand_types.reason)
    return Layout(encoding, width, reasons)


def _holds_chains(
    instruction: MatrixInstruction, operand_types: OperandTypes, context: Context
) -> bool:
    """Check whether a chain's first dot with 16x16 tiles may use two tiles per warp.

    gfx950's instructions read twice as many elements from a lane. Two adjacent tiles then hold the
    operand of the next dot in the lanes that read it.
    """
    deep = any(
        other.elements == 8 for other in context.units.of_types(operand_types.a, operand_types.b)
    )
    return instruction.m == instruction.n == 16 and operand_types.a in _SIXTEEN and deep


def _chained_tiles(
    op: Operation,
    shape: tuple[int, ...],
    distribution: WarpDistribution,
    transposed: bool,
    reason: str,
) -> tuple[bool, tuple[int, int], str]:
    """Choose isTransposed and tilesPerWarp of a chain's first dot.

    Returns: isTransposed, tilesPerWarp, and the reason.
    """
    warps = distribution.warps
    if is_chain_head(op, 0) and shape[0] >= 32 * warps[0] and shape[1] == 16 and warps[1] == 1:
        return True, (2, 1), "two tiles per warp form the left operand of the next dot"
    if is_chain_head(op, 1) and shape[0] == 16 and shape[1] >= 32 * warps[1] and warps[0] == 1:
        return False, (1, 2), "two tiles per warp form the right operand of the next dot"
    return transposed, (1, 1), reason


def _k_width(
    instruction: MatrixInstruction, operand_types: OperandTypes, context: Context, *, tail: bool
) -> tuple[int, str]:
    """Choose kWidth.

    Returns: contiguous elements along K per lane, and the reason.
    """
    if tail and operand_types.a in _SIXTEEN:
        return (
            _CHAINED_WIDTH,
            "what a lane holds of the previous dot's result, so that no data moves",
        )
    if tail:
        return instruction.elements, "of one instruction; k_pack does not apply after another dot"
    if instruction.scaled:
        return instruction.elements, "of one scaled instruction; k_pack does not apply"
    if context.k_pack == 1:
        return instruction.elements, "of one instruction"
    return instruction.elements * context.k_pack, f"of k_pack = {context.k_pack} instructions"


def _create_dot(
    op: Operation,
    operands: list[SSAValue],
    accumulator: SSAValue,
    instruction: MatrixInstruction,
    rewriter: Rewriter,
) -> SSAValue:
    """Create the new dot; a scaled instruction is tt.dot_scaled without scales."""
    if not instruction.scaled:
        properties = dict(op.properties)
        new_dot = rewriter.create(
            tt.DotOp, (*operands, accumulator), (accumulator.type,), properties, before=op
        )
        return new_dot.results[0]
    formats = [SCALED_FORMATS[str(types.element(value.type))] for value in operands]
    properties = {
        "a_elem_type": formats[0].attr(),
        "b_elem_type": formats[1].attr(),
        "fastMath": attributes.boolean(False),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, 0, 0)),
    }
    new_dot = rewriter.create(
        tt.DotScaledOp, (*operands, accumulator), (accumulator.type,), properties, before=op
    )
    return new_dot.results[0]
