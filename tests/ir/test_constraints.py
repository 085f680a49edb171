"""Definitions of properties: defaults, and the attributes that each accepts."""

from __future__ import annotations

import pytest
from xdsl.irdl import AttrConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute, DenseArrayBase
from weft.ir.constraints import EnumConstraint, IntegerArray, TypedInteger
from weft.ir.enums import CacheModifier


@pytest.mark.parametrize(
    ("constraint", "accepted", "rejected", "message"),
    [
        (
            EnumConstraint(CacheModifier),
            CacheModifier.CG.attr(),
            attributes.integer(9, types.i32),
            "allowed 32-bit signless integer cases: 1, 2, 3, 4, 5, 6, 7",
        ),
        (
            TypedInteger(types.i32),
            attributes.integer(1, types.i32),
            attributes.integer(1, types.i64),
            "32-bit signless integer attribute",
        ),
        (
            TypedInteger(types.i32),
            attributes.integer(1, types.i32),
            attributes.string("1"),
            "32-bit signless integer attribute",
        ),
        (
            IntegerArray(types.i64),
            DenseArrayBase.from_list(types.i64, [1]),
            attributes.array_i32((1,)),
            "i64 dense array attribute",
        ),
        (
            IntegerArray(types.i64),
            DenseArrayBase.from_list(types.i64, []),
            attributes.integer(1, types.i64),
            "i64 dense array attribute",
        ),
    ],
)
def test_constraints(
    constraint: AttrConstraint, accepted: Attribute, rejected: Attribute, message: str
) -> None:
    constraint.verify(accepted, VerificationContext())
    with pytest.raises(VerifyException, match=message):
        constraint.verify(rejected, VerificationContext())
    assert constraint.mapping_type_vars({}) is constraint


def test_defaults_of_an_operation() -> None:
    assert tt.LoadOp.DEFAULTS["cache"] == CacheModifier.NONE.attr()
    assert tt.LoadOp.DEFAULTS["isVolatile"] == attributes.boolean(False)
    assert "axis" not in tt.GetProgramIdOp.DEFAULTS
