"""Rewrite tt.dot for mma.sync and wgmma, which leave the result in registers.

    %d = tt.dot %a, %b, %c : …xf16, #dot_op<#blocked> … -> …xf32, #blocked

    →  %c' = ttg.convert_layout %c → #mma                 mma.sync: versionMajor = 2
       %a' = ttg.convert_layout %a → #dot_op<#mma>
       %b' = ttg.convert_layout %b → #dot_op<#mma>
       %d' = tt.dot %a', %b', %c' -> #mma
       %d  = ttg.convert_layout %d' → #blocked

wgmma (versionMajor = 3) reads B from shared memory, and A too if A is loaded; a computed A stays in
registers. `ttng.warp_group_dot` replaces the dot.
"""

from __future__ import annotations

from weft.ir import tt, ttng, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import InputPrecision
from weft.layouts import NvidiaMmaEncoding
from weft.layouts.cga import cga_bases
from weft.passes.diagnostics import emit_performance_remark
from weft.passes.ledger import enabled
from weft.passes.nvidia.accelerate_matmul.decision_records import DecisionRecorder
from weft.passes.nvidia.accelerate_matmul.instruction_selection import (
    Dot,
    family_of,
    instruction_candidates,
)
from weft.passes.nvidia.accelerate_matmul.operands import (
    SharedOperand,
    convert_layout,
    convert_to_dot_operand,
    store_to_shared,
)
from weft.passes.nvidia.accelerate_matmul.original_width import is_loaded, original_width
from weft.passes.nvidia.accelerate_matmul.warp_tiling import (
    choose_warps_per_cta,
    instruction_shape,
)
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.targets.tensor_cores import MmaFamily, TensorCores

__all__ = ["pattern", "result_encoding"]


_WARP_GROUP_VERSIONS = (3, 5)


def _remark_of_slower(dot: Dot, family: MmaFamily | None, cores: TensorCores) -> None:
    """Emit a remark for each faster instruction that the dot cannot use."""
    capability = cores.arch.removeprefix("sm_").rstrip("a")
    if not cores.families:
        emit_performance_remark(
            dot.op,
            f"Dot op using MMA for compute capability {capability} has been deprecated. It falls "
            "back to the FMA path.",
        )
    for each in cores.families:
        if each is family:
            return
        if each.version in _WARP_GROUP_VERSIONS:
            emit_performance_remark(
                dot.op,
                f"MMA version {each.version} acceleration not applied due to unsupported shapes "
                "or data types.",
                [f"Target compute capability ({capability}) supports MMA v{each.version}."],
            )


def pattern(cores: TensorCores, recorder: DecisionRecorder) -> Pattern:
    """Create the pattern for a target."""

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        dot = Dot.match(op)
        if dot is None:
            return False
        family = family_of(dot, cores)
        _remark_of_slower(dot, family, cores)
        if family is None:
            recorder.record_fma(op, instruction_candidates(dot, cores) if enabled() else ())
            return False
        if family.version == 5:
            return False  # the pattern of tensor_memory rewrites it
        _rewrite(dot, family, cores, recorder, rewriter)
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
    """Choose the layout of the result of a dot.

    Args:
        op: The dot.
        family: Its instruction family.
        shape: The shape of the result per CTA.
        element: The name of the element type of A.
        bits: The bits of an element of A.
        warps: The warps that execute the dot.

    Returns:
        The layout, and the rule that decided the warps per dimension.
    """
    tile = instruction_shape(family, shape, element, bits, warps)
    warps_per_cta, reason = choose_warps_per_cta(op, family, shape, tile, warps)
    old = types.encoding(op.results[0].type)
    assert old is not None
    return (
        NvidiaMmaEncoding(family.version, 0, warps_per_cta, tile, cga_bases(old)),
        reason,
    )


def _rewrite(
    dot: Dot, family: MmaFamily, cores: TensorCores, recorder: DecisionRecorder, rewriter: Rewriter
) -> None:
    op = dot.op
    encoding, reason = result_encoding(op, family, dot.shape, dot.element, dot.bits, dot.warps)
    old = op.d.type
    type_ = types.with_encoding(old, encoding)
    c = convert_layout(op.c, type_, op, rewriter)
    new_dot: Operation
    if family.version == 3:
        a, b = _wgmma_operands(dot, family, encoding, rewriter)
        new_dot = rewriter.create(
            ttng.WarpGroupDotOp, (a, b, c), (type_,), _wgmma_properties(op), before=op
        )
    else:
        # The layout is that of the type before an extension, so that loaded elements stay in their
        # lane.
        bits = min(original_width(op.a), original_width(op.b))
        a = convert_to_dot_operand(op.a, 0, encoding, bits, op, rewriter)
        b = convert_to_dot_operand(op.b, 1, encoding, bits, op, rewriter)
        new_dot = rewriter.create(tt.DotOp, (a, b, c), (type_,), op.properties, before=op)
    result = convert_layout(new_dot.results[0], old, op, rewriter)
    if enabled():
        recorder.record_dot(
            new_dot, c, (a, b), family, encoding, reason, instruction_candidates(dot, cores)
        )
        recorder.record_result(result, new_dot)
    rewriter.replace(op, (result,))


def _wgmma_operands(
    dot: Dot, family: MmaFamily, encoding: NvidiaMmaEncoding, rewriter: Rewriter
) -> tuple[SSAValue, SSAValue]:
    """Put A and B where wgmma reads them."""
    op = dot.op
    # A loaded operand can go to shared memory directly; a computed A is in registers already.
    is_transposable = dot.element in family.transposable
    if is_loaded(op.a):
        a = store_to_shared(op.a, SharedOperand(0, is_transposable), rewriter, op)
    else:
        a = convert_to_dot_operand(op.a, 0, encoding, dot.bits, op, rewriter)
    return a, store_to_shared(op.b, SharedOperand(1, is_transposable), rewriter, op)


def _wgmma_properties(op: tt.DotOp) -> dict[str, Attribute]:
    return {
        "inputPrecision": InputPrecision.of(op.properties["inputPrecision"]).attr(),
        "maxNumImpreciseAcc": op.properties["maxNumImpreciseAcc"],
    }
