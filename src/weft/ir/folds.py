"""The folds of every dialect, by class of operation."""

from __future__ import annotations

from weft.ir.arith import folds as arith
from weft.ir.builtin import Operation
from weft.ir.folding import Fold, fold_elementwise
from weft.ir.math import folds as math
from weft.ir.scf import folds as scf
from weft.ir.tt import folds as tt
from weft.ir.ttg import folds as ttg

__all__ = ["FOLDS"]

FOLDS: dict[type[Operation], Fold] = {
    **arith.FOLDS,
    **fold_elementwise(math.FOLDS),
    **tt.FOLDS,
    **scf.FOLDS,
    **ttg.FOLDS,
}
