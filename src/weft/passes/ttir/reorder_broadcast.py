"""Apply elementwise operations before splats and broadcasts instead of after.

Before:  %s = tt.splat %x : f32 -> tensor<64xf32>            After:  %e = math.exp %x : f32
         %e = math.exp %s : tensor<64xf32>                           %s = tt.splat %e
Before:  %b = tt.broadcast %t : 64x1 -> 64x32                After:  %e = math.exp %t : 64x1
         %e = math.exp %b : 64x32                                    %b = tt.broadcast %e

The operands have to be splats or constants, and for the second pattern broadcasts of one shape.
Inline assembly with effects stays: its effect is per element.

Preserves values and the order of effects.
Source: measured on Triton 3.7.1 (`triton-reorder-broadcast`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from weft.analysis.encoding_inference import ELEMENTWISE
from weft.ir import tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.constants import constant_attribute, constant_of_type
from weft.ir.folds import FOLDS
from weft.ir.interfaces.memory_effects import is_memory_effect_free
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize import tt as tt_patterns
from weft.passes.rewrite.greedy import Pattern, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ReorderBroadcast"]


def _apply_before(
    op: Operation,
    operands: list[SSAValue],
    small_type: Callable[[Attribute], Attribute],
    expand: type[Operation],
    rewriter: Rewriter,
) -> bool:
    """Replace an operation by one on small operands, and expand its results.

    Args:
        op: The operation.
        operands: The small operands.
        small_type: Computes the small type of a result.
        expand: tt.splat or tt.broadcast.
        rewriter: Changes the IR.
    """
    small_op = rewriter.create(
        type(op),
        operands,
        [small_type(result.type) for result in op.results],
        op.properties,
        op.attributes,
        before=op,
    )
    results = [
        rewriter.create(expand, (small,), (result.type,), before=op).results[0]
        for small, result in zip(small_op.results, op.results, strict=True)
    ]
    rewriter.replace(op, results)
    return True


def _splat_constant(value: SSAValue) -> SplatAttr | None:
    constant = constant_attribute(value)
    return constant if isinstance(constant, SplatAttr) else None


def _move_before_splat(op: Operation, rewriter: Rewriter) -> bool:
    """Compute on scalars if every operand is a splat or a constant."""
    operands = tuple(op.operands)
    if not operands or not is_memory_effect_free(op):
        return False
    for operand in operands:
        if defining_op(operand, tt.SplatOp) is None and _splat_constant(operand) is None:
            return False
    scalars: list[SSAValue] = []
    for operand in operands:
        splat = defining_op(operand, tt.SplatOp)
        if splat is not None:
            scalars.append(splat.operands[0])
        else:
            constant = _splat_constant(operand)
            assert constant is not None
            scalars.append(rewriter.constant(constant.value, types.element(operand.type), op))
    return _apply_before(op, scalars, types.element, tt.SplatOp, rewriter)


def _source_shape(op: Operation) -> tuple[int, ...] | None:
    """Find the shape that all operands are broadcast from, None if they differ."""
    source_shape: tuple[int, ...] | None = None
    for operand in op.operands:
        broadcast = defining_op(operand, tt.BroadcastOp)
        if broadcast is not None:
            shape = types.shape(broadcast.operands[0].type)
            if source_shape is not None and shape != source_shape:
                return None
            source_shape = shape
        elif defining_op(operand, tt.SplatOp) is None and _splat_constant(operand) is None:
            return None
    return source_shape


def _move_before_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Compute on the sources of broadcasts if all operands are broadcast from one shape."""
    shape = _source_shape(op) if is_memory_effect_free(op) else None
    if shape is None:
        return False

    def small_type(type_: Attribute) -> Attribute:
        return types.with_shape(type_, shape)

    operands: list[SSAValue] = []
    for operand in op.operands:
        assert isinstance(operand, OpResult)
        if isinstance(operand.op, tt.BroadcastOp):
            operands.append(operand.op.operands[0])
        elif isinstance(operand.op, tt.SplatOp):
            scalar = (operand.op.operands[0],)
            splat = rewriter.create(tt.SplatOp, scalar, (small_type(operand.type),), before=op)
            operands.append(splat.results[0])
        else:
            constant = _splat_constant(operand)
            assert constant is not None
            type_ = small_type(operand.type)
            operands.append(rewriter.constant(constant_of_type(constant.value, type_), type_, op))
    return _apply_before(op, operands, small_type, tt.BroadcastOp, rewriter)


_PATTERNS: tuple[Pattern, ...] = (_move_before_splat, _move_before_broadcast)

RULES = RewriteRules(
    FOLDS,
    {
        **dict.fromkeys(ELEMENTWISE, _PATTERNS),
        tt.BroadcastOp: tt_patterns.PATTERNS[tt.BroadcastOp],
        tt.ExpandDimsOp: tt_patterns.PATTERNS[tt.ExpandDimsOp],
    },
    top_down=False,
    merge_blocks=True,
)


class ReorderBroadcast(Struct, frozen=True):
    """Moves elementwise operations before splats and broadcasts."""

    name: ClassVar[str] = "triton-reorder-broadcast"

    def run(self, module: ModuleOp) -> None:
        """Apply the patterns in place."""
        apply_greedily(module, RULES)
