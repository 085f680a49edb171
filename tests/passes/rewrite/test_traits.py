"""Traits of operation classes."""

from __future__ import annotations

from weft.ir import arith, cf, scf, tt
from weft.passes.rewrite.traits import is_commutative, is_isolated_from_above, is_terminator


def test_traits():
    assert is_commutative(arith.AddIOp)
    assert not is_commutative(arith.SubIOp)
    assert is_isolated_from_above(tt.FuncOp)
    assert not is_isolated_from_above(scf.ForOp)
    assert is_terminator(scf.YieldOp)
    assert is_terminator(cf.BranchOp)
    assert not is_terminator(scf.IfOp)
