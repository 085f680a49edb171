"""tt.dot on mma.sync and wgmma: the result in the layout that the instruction leaves.

    %d = tt.dot %a, %b, %c : …xf16, #dot_op<#blocked> … -> …xf32, #blocked

    %c' = ttg.convert_layout %c → #mma                 mma.sync: versionMajor = 2
    %a' = ttg.convert_layout %a → #dot_op<#mma>
    %b' = ttg.convert_layout %b → #dot_op<#mma>
    %d' = tt.dot %a', %b', %c' -> #mma
    %d  = ttg.convert_layout %d' → #blocked

wgmma (versionMajor = 3) reads B from shared memory, and A too where it was loaded as it is; an A
that was computed stays in registers. `ttng.warp_group_dot` takes the place of the dot.
"""

from __future__ import annotations

from weft.ir import tt, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.enums import InputPrecision
from weft.layouts import NvidiaMmaEncoding
from weft.layouts.cga import cga_bases
from weft.passes.ledger import enabled
from weft.passes.nvidia.accelerate_matmul.choice import Dot, family_of, refusals
from weft.passes.nvidia.accelerate_matmul.notes import Notes
from weft.passes.nvidia.accelerate_matmul.operands import Side, converted, in_registers, in_shared
from weft.passes.nvidia.accelerate_matmul.original_width import comes_from_load, original_width
from weft.passes.nvidia.accelerate_matmul.warps import instruction_shape, warps_of
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import MmaFamily, TensorCores

__all__ = ["pattern", "result_encoding"]


def pattern(cores: TensorCores, notes: Notes) -> Pattern:
    """Return the rewriting of dots for a chip."""

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        dot = Dot.open(op)
        if dot is None:
            return False
        family = family_of(dot, cores)
        if family is None:
            notes.by_threads(op, refusals(dot, cores) if enabled() else ())
            return False
        if family.version == 5:
            return False
        _rewrite(dot, family, cores, notes, rewriter)
        return True

    return rewrite


def result_encoding(
    op: Operation,
    family: MmaFamily,
    shape: tuple[int, ...],
    element: str,
    bits: int,
    warps: int,
) -> tuple[NvidiaMmaEncoding, str]:
    """Return the layout of the result of a family's instruction, and the rule of its warps."""
    tile = instruction_shape(family, shape, element, bits, warps)
    shared_out, why = warps_of(op, family, shape, tile, warps)
    old = types.encoding(op.results[0].type)
    assert old is not None
    return (
        NvidiaMmaEncoding(family.version, 0, shared_out, tile, cga_bases(old)),
        why,
    )


def _rewrite(
    dot: Dot, family: MmaFamily, cores: TensorCores, notes: Notes, rewriter: Rewriter
) -> None:
    op = dot.op
    encoding, why = result_encoding(op, family, dot.shape, dot.element, dot.bits, dot.warps)
    old = op.d.type
    type_ = types.with_encoding(old, encoding)
    c = converted(op.c, type_, op, rewriter)
    made: Operation
    if family.version == 3:
        a, b = _for_warp_group(dot, family, encoding, rewriter)
        made = rewriter.create(
            ttng.WarpGroupDotOp, (a, b, c), (type_,), _wgmma_properties(op), before=op
        )
    else:
        bits = min(original_width(op.a), original_width(op.b))
        a = in_registers(op.a, 0, encoding, bits, op, rewriter)
        b = in_registers(op.b, 1, encoding, bits, op, rewriter)
        made = rewriter.create(tt.DotOp, (a, b, c), (type_,), op.properties, before=op)
    back = converted(made.results[0], old, op, rewriter)
    if enabled():
        notes.dot(made, c, (a, b), family, encoding, why, refusals(dot, cores))
        notes.back(back, made)
    rewriter.replace(op, (back,))


def _for_warp_group(
    dot: Dot, family: MmaFamily, encoding: NvidiaMmaEncoding, rewriter: Rewriter
) -> tuple[SSAValue, SSAValue]:
    """Return A and B where wgmma reads them."""
    op = dot.op
    either_way = dot.element in family.transposable
    if comes_from_load(op.a):
        a = in_shared(op.a, Side(0, either_way), rewriter)
    else:
        a = in_registers(op.a, 0, encoding, dot.bits, op, rewriter)
    return a, in_shared(op.b, Side(1, either_way), rewriter)


def _wgmma_properties(op: tt.DotOp) -> dict:
    return {
        "inputPrecision": InputPrecision.of(op.properties["inputPrecision"]).attr(),
        "maxNumImpreciseAcc": op.properties["maxNumImpreciseAcc"],
    }
