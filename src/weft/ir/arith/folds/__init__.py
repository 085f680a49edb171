"""Folds of arith, one file per file of operations."""

from __future__ import annotations

from weft.ir.arith import CmpFOp
from weft.ir.arith.folds import choice, conversion, float, integer
from weft.ir.builtin import Operation
from weft.ir.folding import Fold, by_element

__all__ = ["FOLDS"]

FOLDS: dict[type[Operation], Fold] = {
    **by_element(integer.FOLDS),
    **by_element(float.FOLDS),
    **by_element(conversion.FOLDS),
    **by_element(choice.FOLDS, but=(CmpFOp,)),
}
