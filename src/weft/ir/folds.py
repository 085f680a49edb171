"""The folds of every dialect, by class of operation."""

from __future__ import annotations

from weft.ir.arith import folds as arith
from weft.ir.builtin import Operation
from weft.ir.folding import Fold, by_element
from weft.ir.math import folds as math
from weft.ir.scf import folds as scf
from weft.ir.tt import folds as tt
from weft.ir.ttg import folds as ttg

__all__ = ["FOLDS"]

FOLDS: dict[type[Operation], Fold] = {
    **arith.FOLDS,
    **by_element(math.FOLDS),
    **tt.FOLDS,
    **scf.FOLDS,
    **ttg.FOLDS,
}
