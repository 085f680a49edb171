"""Enums: the number in storage and the keyword in the text."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir import attributes, enums, types
from weft.ir.enums import CacheModifier, CmpIPredicate, KeywordEnum, PropagateNan

ENUMS = sorted(
    (cls for cls in vars(enums).values() if isinstance(cls, type) and cls.__base__ is KeywordEnum),
    key=lambda cls: cls.__name__,
)
STORED_AS_I64 = {"CmpIPredicate", "CmpFPredicate"}


@pytest.mark.parametrize("cls", ENUMS)
def test_numbers_and_keywords_round_trip(cls: type[KeywordEnum]) -> None:
    for member in cls:
        attribute = member.attr()
        assert attribute is member.attr()
        assert attribute.type == (types.i64 if cls.__name__ in STORED_AS_I64 else types.i32)
        assert attribute.value.data == int(member)
        assert cls.of(attribute) is member
        assert cls.from_keyword(member.keyword) is member
        assert str(member) == member.keyword
    assert len({member.keyword for member in cls}) == len(cls)


def test_the_numbers_of_triton() -> None:
    assert [int(member) for member in CmpIPredicate] == list(range(10))
    assert (int(CacheModifier.NONE), int(CacheModifier.CG)) == (1, 3)
    assert int(PropagateNan.ALL) == 0xFFFF


def test_a_number_without_a_member() -> None:
    with pytest.raises(VerifyError) as caught:
        CacheModifier.of(attributes.integer(0, types.i32))
    assert "expected CacheModifier to be one of: 1 (none), 2 (ca), 3 (cg)" in caught.value.message
    with pytest.raises(VerifyError):
        CacheModifier.of(None)
    with pytest.raises(VerifyError):
        CacheModifier.of(attributes.string("cg"))


def test_an_unknown_keyword() -> None:
    with pytest.raises(VerifyError) as caught:
        CmpIPredicate.from_keyword("slf")
    assert caught.value.found == "slf"
    assert caught.value.hint == "did you mean slt or sle?"
