"""Compute first, repeat after that: the same numbers, computed once (`triton-reorder-broadcast`).

Before:  %s = tt.splat %x : f32 -> tensor<64xf32>            After:  %e = math.exp %x : f32
         %e = math.exp %s : tensor<64xf32>                           %s = tt.splat %e
Before:  %b = tt.broadcast %t : 64x1 -> 64x32                After:  %e = math.exp %t : 64x1
         %e = math.exp %b : 64x32                                    %b = tt.broadcast %e

An operation moves if it works element by element and each operand is a splat, a constant or
(for the second) repeated from one and the same shape.
Keeps: values, the order of effects. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from weft.analysis.encoding_inference import ELEMENTWISE
from weft.ir import tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.constants import constant_attribute, constant_of_type
from weft.ir.folds import FOLDS
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize import tt as tt_rules
from weft.passes.rewrite.greedy import Pattern, RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["ReorderBroadcast"]


def _remade(
    op: Operation,
    operands: list[SSAValue],
    retype: Callable[[Attribute], Attribute],
    back: type[Operation],
    rewriter: Rewriter,
) -> bool:
    """Make the operation on smaller operands, and bring its results back to their shape."""
    made = rewriter.create(
        type(op),
        operands,
        [retype(result.type) for result in op.results],
        op.properties,
        op.attributes,
        before=op,
    )
    grown = [
        rewriter.create(back, (small,), (result.type,), before=op).results[0]
        for small, result in zip(made.results, op.results, strict=True)
    ]
    rewriter.replace(op, grown)
    return True


def _splat_constant(value: SSAValue) -> SplatAttr | None:
    constant = constant_attribute(value)
    return constant if isinstance(constant, SplatAttr) else None


def _splat_after(op: Operation, rewriter: Rewriter) -> bool:
    """Work on scalars where every operand is a splat or a constant."""
    operands = tuple(op.operands)
    if not operands:
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
    return _remade(op, scalars, types.element, tt.SplatOp, rewriter)


def _source_shape(op: Operation) -> tuple[int, ...] | None:
    """Return the one shape that all repeated operands have before; None where it does not fit."""
    found: tuple[int, ...] | None = None
    for operand in op.operands:
        broadcast = defining_op(operand, tt.BroadcastOp)
        if broadcast is not None:
            shape = types.shape(broadcast.operands[0].type)
            if found is not None and shape != found:
                return None
            found = shape
        elif defining_op(operand, tt.SplatOp) is None and _splat_constant(operand) is None:
            return None
    return found


def _broadcast_after(op: Operation, rewriter: Rewriter) -> bool:
    """Work on the small tensors where every operand is repeated from one shape."""
    shape = _source_shape(op)
    if shape is None:
        return False

    def small(type_: Attribute) -> Attribute:
        return types.with_shape(type_, shape)

    operands: list[SSAValue] = []
    for operand in op.operands:
        assert isinstance(operand, OpResult)
        if isinstance(operand.op, tt.BroadcastOp):
            operands.append(operand.op.operands[0])
        elif isinstance(operand.op, tt.SplatOp):
            splat = (operand.op.operands[0],)
            made = rewriter.create(tt.SplatOp, splat, (small(operand.type),), before=op)
            operands.append(made.results[0])
        else:
            constant = _splat_constant(operand)
            assert constant is not None
            type_ = small(operand.type)
            operands.append(rewriter.constant(constant_of_type(constant.value, type_), type_, op))
    return _remade(op, operands, small, tt.BroadcastOp, rewriter)


_MOVES: tuple[Pattern, ...] = (_splat_after, _broadcast_after)

RULES = RewriteRules(
    FOLDS,
    {
        **dict.fromkeys(ELEMENTWISE, _MOVES),
        tt.BroadcastOp: tt_rules.PATTERNS[tt.BroadcastOp],
        tt.ExpandDimsOp: tt_rules.PATTERNS[tt.ExpandDimsOp],
    },
    top_down=False,
    merge_blocks=True,
)


@dataclass(frozen=True, slots=True)
class ReorderBroadcast:
    """Post: no element-wise operation works only on repeated values."""

    name: ClassVar[str] = "triton-reorder-broadcast"

    def run(self, module: ModuleOp) -> None:
        """Move splats and broadcasts behind the operations that read them, in place."""
        apply_greedily(module, RULES)
