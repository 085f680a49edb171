"""The fold of scf.if: a negation condition swaps the branches.

scf.if (xori %c, true) {a} else {b}      →  scf.if %c {b} else {a}
"""

from __future__ import annotations

from weft.ir import arith, scf
from weft.ir.builtin import Operation
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.rewriting import defining_op

__all__ = ["FOLDS"]


def _swap_negated(op: Operation) -> Folded:
    """Drop the negation of a condition and swap the branches."""
    assert isinstance(op, scf.IfOp)
    if op.else_block is None:
        return None
    negation = defining_op(op.operands[0], arith.XOrIOp)
    if negation is None or not boolean_value(constant_attribute(negation.operands[1])):
        return None
    op.operands[0] = negation.operands[0]
    then_block, else_block = op.then_block, op.else_block
    op.regions[0].detach_block(then_block)
    op.regions[1].detach_block(else_block)
    op.regions[0].add_block(else_block)
    op.regions[1].add_block(then_block)
    return IN_PLACE


FOLDS: dict[type[Operation], Fold] = {scf.IfOp: _swap_negated}
