"""The rule for tt.dot on CDNA: do it with an MFMA instruction.

%d = tt.dot %a, %b, %c : #blocked       →   %0 = ttg.convert_layout %c : #mma
                                            %1 = ttg.convert_layout %a : #dot_op<0, #mma, kWidth>
                                            %2 = ttg.convert_layout %b : #dot_op<1, #mma, kWidth>
                                            %3 = tt.dot %1, %2, %0
                                            %d = ttg.convert_layout %3 : #blocked

A result is laid out transposed, so that a lane holds neighbours of a row and stores them together;
a 4x64 tile has to be broadcast along M instead. A lane holds as many elements side by side along K
as one instruction takes from it, times k_pack.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import InputPrecision, ScaleDotElemType
from weft.ir.hardware import warps_around
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding
from weft.layouts.cga import cga_bases
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, blocked_result, shape_of
from weft.passes.amd.accelerate_matmul.cast import converted_and_cast
from weft.passes.amd.accelerate_matmul.chain import is_head, is_tail
from weft.passes.amd.accelerate_matmul.instruction import (
    F8F6F4,
    OPEN_FLOATS,
    Choice,
    Types,
    choose_mfma,
    mfma_types,
)
from weft.passes.amd.accelerate_matmul.report import Reasons
from weft.passes.amd.accelerate_matmul.scales import source_of_scale, tiles_for_scales
from weft.passes.amd.accelerate_matmul.warps import Shared, share_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["ELEMENTS", "SCALED_FORMATS", "Layout", "rule"]

ELEMENTS = {
    str(one): one
    for one in (
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
_CHAINED_WIDTH = 4  # elements side by side that a lane has of a chained result of 16 bits


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout chosen for a product, the elements side by side along K, and the reasons."""

    encoding: AmdMfmaEncoding
    k_width: int
    reasons: Reasons


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, asked)

    return pattern


def _rewrite(op: Operation, rewriter: Rewriter, asked: Asked) -> bool:
    blocked = blocked_result(op)
    if blocked is None:
        return False
    a, b, c = op.operands
    read, choice = _choose(op, asked)
    row = choice.instruction
    if row is None:
        report.left_alone(asked, op, choice)
        return False
    result = op.results[0].type
    layout = _layout(op, row, read, asked)
    accumulator = _accumulator(types.element(result))
    newc = converted_and_cast(c, layout.encoding, accumulator, op, rewriter)
    width = layout.k_width // 2 if row.scaled else layout.k_width
    operands = []
    for index, (value, name) in enumerate(((a, read.a), (b, read.b))):
        element = types.element(value.type) if row.scaled else ELEMENTS[name]
        encoding = DotOperandEncoding(index, layout.encoding, width)
        operands.append(converted_and_cast(value, encoding, element, op, rewriter))
    made = _product(op, operands, newc, row, rewriter)
    output = converted_and_cast(made, blocked, types.element(result), op, rewriter)
    report.product(asked, op, choice, layout.reasons, (*operands, newc, made, output))
    rewriter.replace(op, (output,))
    return True


def _choose(op: Operation, asked: Asked) -> tuple[Types, Choice]:
    """Choose an instruction: a scaled one where both operands are small floats, if it fits."""
    a, b = (str(types.element(value.type)) for value in op.operands[:2])
    shape = shape_of(op.results[0], op.operands[0])
    small = a in OPEN_FLOATS and b in OPEN_FLOATS
    first: Choice | None = None
    if small and asked.units.takes(F8F6F4):
        read = Types(F8F6F4, F8F6F4, why="small floats go through twice as fast in a scaled MFMA")
        first = choose_mfma(asked.units, read, shape, asked.side)
        if first.instruction is not None:
            return read, first
    precision = InputPrecision.of(op.properties["inputPrecision"])
    read = mfma_types(asked.units, a, b, low_precision=precision is InputPrecision.TF32)
    choice = choose_mfma(asked.units, read, shape, asked.side)
    if first is not None:
        choice = replace(choice, weighed=(*choice.weighed, *first.weighed))
    return read, choice


def _accumulator(element: Attribute) -> Attribute:
    """Return the type that an instruction adds up in."""
    if types.is_integer(element):
        return types.i32
    return types.f64 if element == types.f64 else types.f32


def _layout(op: Operation, row: MatrixInstruction, read: Types, asked: Asked) -> Layout:
    result = op.results[0].type
    blocked = types.encoding(result)
    assert blocked is not None
    shape = types.shape(result)
    tail = is_tail(op)
    shared = share_warps(shape, warps_around(op), (row.m, row.n), head=is_head(op), tail=tail)
    transposed = (row.m, row.n) != (4, 64)
    why = "a lane holds neighbours of a row, to store them together"
    if not transposed:
        why = "a tile of 4x64 takes its left operand broadcast"
    tiles = (1, 1)
    if row.m == row.n:
        scales = source_of_scale(op.operands[0]), source_of_scale(op.operands[1])
        tiles = tiles_for_scales(scales, row.m, shared.warps)
    if tiles == (1, 1) and _holds_chains(row, read, asked) and len(shape) == 2:
        transposed, tiles, why = _chained_tiles(op, shape, shared, transposed, why)
    encoding = AmdMfmaEncoding(
        asked.units.version,
        shared.warps,
        (row.m, row.n, row.k),
        transposed,
        cga_bases(blocked),
        (1, *tiles) if len(shape) == 3 else tiles,
        types.bit_width(_accumulator(types.element(result))),
    )
    width, why_width = _k_width(row, read, asked, tail=tail)
    return Layout(encoding, width, Reasons(shared, why, why_width, read.why))


def _holds_chains(row: MatrixInstruction, read: Types, asked: Asked) -> bool:
    """Tell whether a chained result of 16x16 tiles may take two tiles per warp.

    With twice the elements in a lane that gfx950's instructions read, two tiles side by side hold
    what the next product reads, in the lanes that read it.
    """
    deep = any(other.elements == 8 for other in asked.units.of_types(read.a, read.b))
    return row.m == row.n == 16 and read.a in _SIXTEEN and deep


def _chained_tiles(
    op: Operation, shape: tuple[int, ...], shared: Shared, transposed: bool, why: str
) -> tuple[bool, tuple[int, int], str]:
    """Return transposition and tiles per warp of a product that starts a chain."""
    warps = shared.warps
    if is_head(op, 0) and shape[0] >= 32 * warps[0] and shape[1] == 16 and warps[1] == 1:
        return True, (2, 1), "two tiles of a warp are the left operand of the next dot"
    if is_head(op, 1) and shape[0] == 16 and shape[1] >= 32 * warps[1] and warps[0] == 1:
        return False, (1, 2), "two tiles of a warp are the right operand of the next dot"
    return transposed, (1, 1), why


def _k_width(row: MatrixInstruction, read: Types, asked: Asked, *, tail: bool) -> tuple[int, str]:
    """Return the elements side by side along K, and the reason."""
    if tail and read.a in _SIXTEEN:
        return _CHAINED_WIDTH, "what a lane has of the dot before, so that nothing moves"
    if tail:
        return row.elements, "one instruction's; k_pack is left out behind another dot"
    if row.scaled:
        return row.elements, "the elements that a scaled instruction takes; k_pack does not apply"
    if asked.k_pack == 1:
        return row.elements, "one instruction's elements of a lane"
    return row.elements * asked.k_pack, f"those of k_pack = {asked.k_pack} instructions"


def _product(
    op: Operation,
    operands: list[SSAValue],
    accumulator: SSAValue,
    row: MatrixInstruction,
    rewriter: Rewriter,
) -> SSAValue:
    """Make the dot itself; a scaled instruction is named by tt.dot_scaled without scales."""
    if not row.scaled:
        properties = dict(op.properties)
        made = rewriter.create(
            tt.DotOp, (*operands, accumulator), (accumulator.type,), properties, before=op
        )
        return made.results[0]
    formats = [SCALED_FORMATS[str(types.element(value.type))] for value in operands]
    properties = {
        "a_elem_type": formats[0].attr(),
        "b_elem_type": formats[1].attr(),
        "fastMath": attributes.boolean(False),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, 0, 0)),
    }
    made = rewriter.create(
        tt.DotScaledOp, (*operands, accumulator), (accumulator.type,), properties, before=op
    )
    return made.results[0]
