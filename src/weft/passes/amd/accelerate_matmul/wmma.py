"""The rule for tt.dot on RDNA and gfx1250: use a WMMA instruction.

%d = tt.dot %a, %b, %c : #blocked       →   %0 = ttg.convert_layout %c : #wmma
                                            %1 = ttg.convert_layout %a : #dot_op<0, #wmma, kWidth>
                                            %2 = ttg.convert_layout %b : #dot_op<1, #wmma, kWidth>
                                            %3 = tt.dot %1, %2, %0
                                            %d = ttg.convert_layout %3 : #blocked

Operands of unsupported types are converted to the nearest supported types. The result is always
transposed, for wide stores.
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import Operation
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import AmdWmmaEncoding, DotOperandEncoding, Encoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.cast import convert_layout_and_cast
from weft.passes.amd.accelerate_matmul.chain import is_chain_head, is_chain_tail
from weft.passes.amd.accelerate_matmul.context import Context, blocked_result, dot_shape
from weft.passes.amd.accelerate_matmul.instruction import Choice, choose_wmma, wmma_types
from weft.passes.amd.accelerate_matmul.mfma import ELEMENTS
from weft.passes.amd.accelerate_matmul.warps import WarpDistribution, distribute_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["k_width", "rule", "distribute_tiles", "wmma_encoding"]

_GROUPED = {3: 8}  # by version: kWidth if the elements of a lane form several groups along K


def rule(context: Context) -> Pattern:
    """Create the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, context)

    return pattern


def _rewrite(op: Operation, rewriter: Rewriter, context: Context) -> bool:
    blocked = blocked_result(op)
    if blocked is None:
        return False
    result = op.results[0].type
    names = [
        str(types.element(value)) for value in (op.operands[0].type, op.operands[1].type, result)
    ]
    operand_types = wmma_types(context.units, *names)
    if operand_types is None:
        reason = f"{context.units.arch} has no WMMA of {' x '.join(names[:2])} to {names[2]}"
        report.record_unsupported(context, op, Choice(None, reason, ()))
        return False
    choice = choose_wmma(context.units, operand_types, dot_shape(op.results[0], op.operands[0]))
    instruction = choice.instruction
    if instruction is None:
        report.record_unsupported(context, op, choice)
        return False
    distribution = distribute_tiles(op, instruction)
    encoding = wmma_encoding(
        context, blocked, distribution, (instruction.m, instruction.n, instruction.k)
    )
    accumulator = convert_layout_and_cast(
        op.operands[2], encoding, ELEMENTS[operand_types.d], op, rewriter
    )
    width = k_width(context, instruction)
    operands = [
        convert_layout_and_cast(
            op.operands[index],
            DotOperandEncoding(index, encoding, width),
            ELEMENTS[name],
            op,
            rewriter,
        )
        for index, name in enumerate((operand_types.a, operand_types.b))
    ]
    new_dot = rewriter.create(
        tt.DotOp, (*operands, accumulator), (accumulator.type,), op.properties, before=op
    )
    output = convert_layout_and_cast(
        new_dot.results[0], blocked, types.element(result), op, rewriter
    )
    reasons = report.Reasons(
        distribution,
        "always: a lane holds contiguous elements of a row, for wide stores",
        "contiguous elements along K of one instruction",
        operand_types.reason,
    )
    report.record_dot(
        context, op, choice, reasons, (*operands, accumulator, new_dot.results[0], output)
    )
    rewriter.replace(op, (output,))
    return True


def distribute_tiles(op: Operation, instruction: MatrixInstruction) -> WarpDistribution:
    """Distribute the warps of a block over the tiles of a dot's result."""
    result = op.results[0].type
    encoding = types.encoding(result)
    assert encoding is not None
    shape = shape_per_cta(encoding, types.shape(result))
    return distribute_warps(
        shape,
        lookup_num_warps(op),
        (instruction.m, instruction.n),
        head=is_chain_head(op),
        tail=is_chain_tail(op),
    )


def wmma_encoding(
    context: Context, blocked: Encoding, distribution: WarpDistribution, sides: tuple[int, int, int]
) -> AmdWmmaEncoding:
    """Create the layout of a result; warps advance along the last dimension first."""
    rank = len(distribution.warps)
    vectors = tuple(
        tuple(1 << bit if at == dim else 0 for at in range(rank))
        for dim in reversed(range(rank))
        for bit in range(distribution.warps[dim].bit_length() - 1)
    )
    return AmdWmmaEncoding(
        context.units.version, True, vectors, (), cga_bases(blocked), sides, dimensions=rank
    )


def k_width(context: Context, instruction: MatrixInstruction) -> int:
    """Return kWidth: contiguous elements along K per lane."""
    return min(instruction.elements, _GROUPED.get(context.units.version, instruction.elements))
