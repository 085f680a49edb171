"""The table of all folds."""

from __future__ import annotations

from weft.ir.context import operations
from weft.ir.folds import FOLDS


def test_folds_are_of_registered_operations() -> None:
    assert set(FOLDS) <= set(operations().values())
    dialects = {cls.name.partition(".")[0] for cls in FOLDS}
    assert dialects == {"arith", "math", "scf", "tt", "ttg"}
