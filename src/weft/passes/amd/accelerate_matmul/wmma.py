"""The rule for tt.dot on RDNA and gfx1250: do it with a WMMA instruction.

%d = tt.dot %a, %b, %c : #blocked       →   %0 = ttg.convert_layout %c : #wmma
                                            %1 = ttg.convert_layout %a : #dot_op<0, #wmma, kWidth>
                                            %2 = ttg.convert_layout %b : #dot_op<1, #wmma, kWidth>
                                            %3 = tt.dot %1, %2, %0
                                            %d = ttg.convert_layout %3 : #blocked

Operands whose types no instruction takes are converted to the nearest types that one takes. The
result is always laid out transposed, for wide stores.
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import Operation
from weft.ir.hardware import warps_around
from weft.layouts import AmdWmmaEncoding, DotOperandEncoding, Encoding
from weft.layouts.cga import cga_bases, shape_per_cta
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked, blocked_result, shape_of
from weft.passes.amd.accelerate_matmul.cast import converted_and_cast
from weft.passes.amd.accelerate_matmul.chain import is_head, is_tail
from weft.passes.amd.accelerate_matmul.instruction import Choice, choose_wmma, wmma_types
from weft.passes.amd.accelerate_matmul.mfma import ELEMENTS
from weft.passes.amd.accelerate_matmul.warps import Shared, share_warps
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.matrix_units import MatrixInstruction

__all__ = ["k_width_of", "rule", "share_tiles", "wmma_encoding"]

_GROUPED = {3: 8}  # elements side by side where a lane's elements lie in several groups along K


def rule(asked: Asked) -> Pattern:
    """Return the pattern for one chip and set of options."""

    def pattern(op: Operation, rewriter: Rewriter) -> bool:
        return _rewrite(op, rewriter, asked)

    return pattern


def _rewrite(op: Operation, rewriter: Rewriter, asked: Asked) -> bool:
    blocked = blocked_result(op)
    if blocked is None:
        return False
    result = op.results[0].type
    names = [str(types.element(one)) for one in (op.operands[0].type, op.operands[1].type, result)]
    read = wmma_types(asked.units, *names)
    if read is None:
        why = f"{asked.units.arch} has no WMMA of {' x '.join(names[:2])} to {names[2]}"
        report.left_alone(asked, op, Choice(None, why, ()))
        return False
    choice = choose_wmma(asked.units, read, shape_of(op.results[0], op.operands[0]))
    row = choice.instruction
    if row is None:
        report.left_alone(asked, op, choice)
        return False
    shared = share_tiles(op, row)
    encoding = wmma_encoding(asked, blocked, shared, (row.m, row.n, row.k))
    newc = converted_and_cast(op.operands[2], encoding, ELEMENTS[read.d], op, rewriter)
    width = k_width_of(asked, row)
    operands = [
        converted_and_cast(
            op.operands[index],
            DotOperandEncoding(index, encoding, width),
            ELEMENTS[name],
            op,
            rewriter,
        )
        for index, name in enumerate((read.a, read.b))
    ]
    made = rewriter.create(tt.DotOp, (*operands, newc), (newc.type,), op.properties, before=op)
    output = converted_and_cast(made.results[0], blocked, types.element(result), op, rewriter)
    reasons = report.Reasons(
        shared,
        "always: a lane holds neighbours of a row, to store them together",
        "the elements of a lane that lie side by side in one instruction",
        read.why,
    )
    report.product(asked, op, choice, reasons, (*operands, newc, made.results[0], output))
    rewriter.replace(op, (output,))
    return True


def share_tiles(op: Operation, row: MatrixInstruction) -> Shared:
    """Return how the warps of a block share the tiles of a dot's result."""
    result = op.results[0].type
    encoding = types.encoding(result)
    assert encoding is not None
    shape = shape_per_cta(encoding, types.shape(result))
    return share_warps(shape, warps_around(op), (row.m, row.n), head=is_head(op), tail=is_tail(op))


def wmma_encoding(
    asked: Asked, blocked: Encoding, shared: Shared, sides: tuple[int, int, int]
) -> AmdWmmaEncoding:
    """Return the layout of a result whose tiles are dealt to warps, the last dimension first."""
    rank = len(shared.warps)
    vectors = tuple(
        tuple(1 << bit if at == dim else 0 for at in range(rank))
        for dim in reversed(range(rank))
        for bit in range(shared.warps[dim].bit_length() - 1)
    )
    return AmdWmmaEncoding(
        asked.units.version, True, vectors, (), cga_bases(blocked), sides, dimensions=rank
    )


def k_width_of(asked: Asked, row: MatrixInstruction) -> int:
    """Return how many elements along K a lane holds side by side."""
    return min(row.elements, _GROUPED.get(asked.units.version, row.elements))
