"""Folds of arith, one file per file of operations."""

from __future__ import annotations

from weft.ir.arith import CmpFOp
from weft.ir.arith.folds import compare, conversion, float, integer
from weft.ir.builtin import Operation
from weft.ir.folding import Fold, fold_elementwise

__all__ = ["FOLDS"]

FOLDS: dict[type[Operation], Fold] = {
    **fold_elementwise(integer.FOLDS),
    **fold_elementwise(float.FOLDS),
    **fold_elementwise(conversion.FOLDS),
    **fold_elementwise(compare.FOLDS, exclude=(CmpFOp,)),
}
